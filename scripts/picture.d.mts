/** The picture of the README, as SVG. */
export function picture(): string;
