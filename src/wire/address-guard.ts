import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * IANA special-purpose IPv4 registry (RFC 6890 and its updates), as far as a portal cannot live there. Whatever is
 * missing here can be reached by a profile that somebody else wrote, so the table errs on the side of refusing.
 */
const SPECIAL_IPV4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8], // "This network"; 0.0.0.0 reaches loopback on Linux.
  ['10.0.0.0', 8], // RFC 1918.
  ['100.64.0.0', 10], // Carrier-grade NAT, and the metadata service of one cloud.
  ['127.0.0.0', 8], // Loopback.
  ['168.63.129.16', 32], // A public address that Azure answers inside every virtual machine.
  ['169.254.0.0', 16], // Link-local; 169.254.169.254 hands out cloud credentials.
  ['172.16.0.0', 12], // RFC 1918.
  ['192.0.0.0', 24], // IETF protocol assignments, and another metadata service.
  ['192.0.2.0', 24], // Documentation.
  ['192.88.99.0', 24], // Former 6to4 relays.
  ['192.168.0.0', 16], // RFC 1918.
  ['198.18.0.0', 15], // Benchmarks.
  ['198.51.100.0', 24], // Documentation.
  ['203.0.113.0', 24], // Documentation.
  ['224.0.0.0', 4], // Multicast.
  ['240.0.0.0', 4], // Reserved, and the broadcast address.
];

/** Special parts of 2000::/3. Everything outside 2000::/3 is refused without a table: nothing public lives there. */
const SPECIAL_IPV6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23], // IETF protocol assignments: Teredo (which embeds an IPv4 address), ORCHID, benchmarks.
  ['2001:db8::', 32], // Documentation.
  ['2002::', 16], // 6to4 embeds an IPv4 address and is retired; no portal needs it.
  ['3fff::', 20], // Documentation.
];

const special = buildBlockList();

function buildBlockList(): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of SPECIAL_IPV4) list.addSubnet(network, prefix, 'ipv4');
  for (const [network, prefix] of SPECIAL_IPV6) list.addSubnet(network, prefix, 'ipv6');
  return list;
}

/**
 * True for an address that is not on the public internet: loopback, private, link-local, reserved and the like, also
 * when it is embedded in an IPv6 address. A text that is no address is treated as one: refusing is the safe mistake.
 */
export function isSpecialAddress(address: string): boolean {
  if (isIPv4(address)) return special.check(address, 'ipv4');
  const bare = withoutZone(address);
  if (!isIPv6(bare)) return true;
  const groups = expandIpv6(bare);
  const embedded = embeddedIpv4(groups);
  if (embedded !== undefined) return special.check(embedded, 'ipv4');
  const isGlobalUnicast = ((groups[0] ?? 0) & 0xe000) === 0x2000;
  return !isGlobalUnicast || special.check(bare, 'ipv6');
}

/** Without a zone, and as the IPv4 address that is embedded where `isSpecialAddress` judges by that one. */
export function plainAddress(address: string): string {
  const bare = withoutZone(address);
  return isIPv6(bare) ? (embeddedIpv4(expandIpv6(bare)) ?? bare) : bare;
}

// `fe80::1%eth0`: the zone says which cable, not which address.
function withoutZone(address: string): string {
  const zoneAt = address.indexOf('%');
  return zoneAt < 0 ? address : address.slice(0, zoneAt);
}

/** The eight 16-bit groups of a text that `isIPv6` accepts. */
function expandIpv6(address: string): readonly number[] {
  const [head = '', tail] = address.split('::');
  const before = groupsOf(head);
  if (tail === undefined) return before;
  const after = groupsOf(tail);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return [...before, ...zeros, ...after];
}

function groupsOf(text: string): readonly number[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}

/**
 * IPv4-mapped (::ffff:0:0/96, what a dual-stack socket reports) and the well-known NAT64 prefix (64:ff9b::/96, how an
 * IPv6-only network reaches a public IPv4 host) are judged by the address inside. The other embeddings are refused
 * whole: IPv4-compatible (::/96) and 64:ff9b:1::/48 lie outside 2000::/3, 6to4 and Teredo are in the table.
 */
function embeddedIpv4(groups: readonly number[]): string | undefined {
  const prefix = groups
    .slice(0, 6)
    .map((group) => group.toString(16))
    .join(':');
  const isMapped = prefix === '0:0:0:0:0:ffff';
  const isNat64 = prefix === '64:ff9b:0:0:0:0';
  if (!isMapped && !isNat64) return undefined;
  const [high = 0, low = 0] = groups.slice(6);
  return `${high >> 8}.${high & 0xff}.${low >> 8}.${low & 0xff}`;
}
