/** Whoever opens the link of a letter: a mail scanner that only looks, and a person who presses the button. */

export async function lookAt(link: string): Promise<number> {
  const { status, body } = await fetch(link);
  await body?.cancel();
  return status;
}

export async function pressButton(link: string): Promise<void> {
  const { body } = await fetch(link, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'acknowledge=yes',
  });
  await body?.cancel();
}
