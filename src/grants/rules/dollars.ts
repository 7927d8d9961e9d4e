/** An amount of dollars as a person writes it: $25,000, and $12,500.50 where there are cents. */
export function usd(amount: number): string {
  const decimals = Number.isInteger(amount) ? 0 : 2;
  return `$${amount.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })}`;
}
