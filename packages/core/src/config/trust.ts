import { BlockList, isIP } from 'node:net';
import type { TrustConfig } from './types.js';

/** Is this peer address (the socket's; undefined once it is closed) one of ours? */
export type Trusts = (peer: string | undefined) => boolean;

interface Range {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/**
 * Compiles `inbound.trust`: CIDRs and single addresses of either family, or a predicate. IPv4-mapped peers
 * (`::ffff:10.1.2.3`, as dual-stack sockets report them) match IPv4 ranges, and mapped ranges match IPv4 peers.
 * A predicate that throws or answers anything but true trusts nobody.
 */
export function compileTrust(trust: TrustConfig | undefined): Trusts {
  if (trust === undefined) return () => false;
  if (typeof trust === 'function') return (peer) => peer !== undefined && safely(trust, peer);
  const list = new BlockList();
  for (const entry of trust) {
    const range = parseCidr(entry);
    if (range !== undefined) list.addSubnet(range.address, range.prefix, range.family);
  }
  return (peer) => {
    if (peer === undefined) return false;
    const address = withoutZone(peer);
    const inner = unmapped(address);
    return holds(list, inner) || (inner !== address && holds(list, address));
  };
}

function holds(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** An address with an optional prefix length; `undefined` when it is neither. */
export function parseCidr(text: unknown): Range | undefined {
  if (typeof text !== 'string') return undefined;
  const [host = '', length, more] = text.split('/');
  const family = isIP(host);
  if (family === 0 || more !== undefined || host.includes('%')) return undefined;
  const bits = family === 6 ? 128 : 32;
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return undefined;
  const prefix = length === undefined ? bits : Number(length);
  if (prefix > bits) return undefined;
  const address = unmapped(host);
  if (address === host) return { address, prefix, family: family === 6 ? 'ipv6' : 'ipv4' };
  // a mapped range of fewer than 96 bits holds all of IPv4 and more: it stays a range of IPv6
  return prefix >= 96
    ? { address, prefix: prefix - 96, family: 'ipv4' }
    : { address: host, prefix, family: 'ipv6' };
}

function safely(predicate: (peer: string) => boolean, peer: string): boolean {
  try {
    return predicate(peer) === true;
  } catch {
    return false;
  }
}

/** The IPv4 address inside `::ffff:a.b.c.d` or `::ffff:abcd:ef01`; any other address as it is. */
function unmapped(address: string): string {
  const mapped = /^(?:::|(?:0{1,4}:){5})ffff:([\d.]+|[\da-f]{1,4}:[\da-f]{1,4})$/i.exec(address)?.[1];
  if (mapped === undefined) return address;
  if (mapped.includes('.')) return mapped;
  const [high = 0, low = 0] = mapped.split(':').map((part) => Number.parseInt(part, 16));
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

function withoutZone(address: string): string {
  const zone = address.indexOf('%');
  return zone === -1 ? address : address.slice(0, zone);
}
