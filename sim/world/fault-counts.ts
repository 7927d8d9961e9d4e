/** What was done to the system on purpose, by kind. */
export class FaultCounts {
  readonly byKind = new Map<string, number>();

  add(kind: string, count = 1): void {
    this.byKind.set(kind, (this.byKind.get(kind) ?? 0) + count);
  }

  get total(): number {
    return [...this.byKind.values()].reduce((sum, count) => sum + count, 0);
  }
}
