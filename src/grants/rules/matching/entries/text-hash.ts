/**
 * A text as a whole number of 53 bits, which is as many as a number holds exactly. Not for evidence, and not safe against
 * somebody who wants two texts to meet: whoever uses it compares the texts where equal numbers alone would do harm.
 */
export function textHash(text: string): number {
  let one = 0x3c6ef372;
  let two = 0x1b873593;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x9e3779b1);
    two = Math.imul(((two << 5) | (two >>> 27)) ^ unit, 0x2545f491);
  }
  one = mixed(one ^ (two >>> 16));
  two = mixed(two ^ (one >>> 13));
  return (two >>> 11) * 2 ** 32 + (one >>> 0);
}

/** Spreads what the last characters did over all bits. */
function mixed(bits: number): number {
  const half = Math.imul(bits ^ (bits >>> 15), 0x85ebca77);
  const whole = Math.imul(half ^ (half >>> 13), 0xc2b2ae3d);
  return whole ^ (whole >>> 16);
}
