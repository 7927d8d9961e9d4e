/** Money as people write it, from minor units: `$1,225.00`, `-$3.05`. Exact at every size. */
export function shownDollars(cents: number | bigint | string): string {
  const amount = BigInt(cents);
  const digits = String(amount < 0n ? -amount : amount).padStart(3, '0');
  const whole = BigInt(digits.slice(0, -2)).toLocaleString('en-US');
  return `${amount < 0n ? '-' : ''}$${whole}.${digits.slice(-2)}`;
}
