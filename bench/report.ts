/** One figure: what was measured, against what it must be. */
export interface Figure {
  readonly name: string;
  readonly measured: string;
  readonly limit: string;
  readonly met: boolean;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function atMost(
  name: string,
  value: number,
  limit: number,
  unit: string,
  digits = 2,
): Figure {
  return {
    name,
    measured: `${value.toFixed(digits)} ${unit}`.trim(),
    limit: `≤ ${limit} ${unit}`.trim(),
    met: value <= limit,
  };
}

export function markdown(
  title: string,
  figures: readonly Figure[],
  details: readonly string[],
  machine: string,
): string {
  return [
    `# ${title}`,
    '',
    'Written by `npm run bench`. Ratios within one run, since machines differ. ' + machine,
    '',
    '| figure | measured | limit | met |',
    '|---|---|---|---|',
    ...figures.map(
      (figure) =>
        `| ${figure.name} | ${figure.measured} | ${figure.limit} | ${figure.met ? 'yes' : '**no**'} |`,
    ),
    '',
    ...details,
    '',
  ].join('\n');
}

/** All parts on one page: each may have been measured on another day, which its own text says. */
export function together(pages: readonly string[]): string {
  const parts = pages.map((page) => page.trim().replaceAll(/^#/gm, '##'));
  return `${['# Results', ...parts].join('\n\n')}\n`;
}
