/**
 * Which addresses off the public internet may be dialled. Two must agree: who describes a portal or a webhook says that it
 * lies in a private network, and the operator names that network in the environment of the process. A profile or a row of
 * the database alone opens nothing: behind such an address may be a database, or a cloud's own credentials.
 */
import { BlockList, isIP, isIPv4 } from 'node:net';
import { misuse } from '../core/index.ts';
import { plainAddress } from './address-guard.ts';
import type { Environment } from './environment.ts';

/** Networks of the operator, such as `127.0.0.0/8,10.20.0.0/16`. */
export const ALLOW_PRIVATE = 'FILEWRIGHT_ALLOW_PRIVATE';
/** More would be a list that no one reads. */
const NETWORKS_MAX = 100;

interface PrivateNetworks {
  allows(address: string): boolean;
}

/** `false`: none. There is no `true`, so that no flag of a profile or a row can take its place unseen. */
export type AllowedPrivate = false | PrivateNetworks;

/** For an address that whoever starts the process has typed, as it has typed the environment. */
export const ANY_PRIVATE: PrivateNetworks = { allows: () => true };

/** The operator's networks; what is not named is not allowed. */
export function operatorNetworks(environment: Environment): AllowedPrivate {
  const text = environment[ALLOW_PRIVATE]?.trim() ?? '';
  return text === '' ? false : networksOf(text);
}

/** What a profile, a webhook or a mail server may reach: nothing private unless its own flag and the operator say so. */
export function allowedPrivate(isAsked: boolean, environment: Environment): AllowedPrivate {
  return isAsked ? operatorNetworks(environment) : false;
}

function networksOf(text: string): PrivateNetworks {
  const list = new BlockList();
  const parts = text.split(/[,\s]+/).filter((part) => part !== '');
  if (parts.length > NETWORKS_MAX)
    throw misuse(`${ALLOW_PRIVATE}: more than ${NETWORKS_MAX} networks`);
  for (const part of parts) addNetwork(list, part);
  return {
    allows: (address) => {
      const plain = plainAddress(address);
      return isIP(plain) !== 0 && list.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6');
    },
  };
}

function addNetwork(list: BlockList, part: string): void {
  const [network = '', prefix, ...rest] = part.split('/');
  const family = isIP(network);
  const bitsMax = family === 4 ? 32 : 128;
  const bits = prefix === undefined ? bitsMax : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
  if (family === 0 || bits < 0 || bits > bitsMax || rest.length > 0) {
    throw misuse(
      `${ALLOW_PRIVATE}: expected networks such as 127.0.0.0/8,10.20.0.0/16, found "${part}"`,
    );
  }
  list.addSubnet(network, bits, family === 4 ? 'ipv4' : 'ipv6');
}
