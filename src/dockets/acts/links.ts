/** Links in letters, and the page that they lead to, agree on a key that is kept nowhere else. */
import { hkdfSync } from 'node:crypto';
import type { Installation } from '../../ledger/index.ts';
import { type AcknowledgementLinks, acknowledgementLinks } from '../../people/index.ts';

/** Derived from the tenant's key: whoever writes the letter and whoever serves the page have it, and nobody else. */
export function linksOf(
  app: Pick<Installation, 'tenantKey' | 'instance' | 'tenant'>,
): AcknowledgementLinks {
  const purpose = `filewright/acknowledgement-links/1/${app.instance}/${app.tenant}`;
  return acknowledgementLinks([
    new Uint8Array(hkdfSync('sha256', app.tenantKey.current, '', purpose, 32)),
  ]);
}
