/**
 * Which IP addresses and CIDRs API servers of 1.36 and newer reject (feature gate StrictIPCIDRValidation, on by default from 1.36). Values that are
 * stored stay; objects that are created with one are rejected, and so is a change to one. Custom resources are not concerned.
 *
 * https://github.com/kubernetes/enhancements/tree/master/keps/sig-network/4858-ip-cidr-validation, the rules as in
 * k8s.io/apimachinery/pkg/util/validation/ip.go (IsValidIPForLegacyField, IsValidCIDRForLegacyField).
 */

export type AddressFault = 'leading zeros' | 'IPv4-mapped IPv6' | 'bits beyond the prefix length';

/** Of an address ("10.0.0.5") or a CIDR ("10.0.0.0/8") that an API server has taken before. undefined: it is still taken. */
export function addressFault(written: string): AddressFault | undefined {
  const [address = '', length] = written.trim().split('/');
  if (hasLeadingZeros(address) || (length !== undefined && /^0\d/.test(length))) return 'leading zeros';
  const bits = bitsOf(address);
  if (MAPPED.test(bits)) return 'IPv4-mapped IPv6';
  return length !== undefined && bits.slice(Number(length)).includes('1') ? 'bits beyond the prefix length' : undefined;
}

/** "hostAliases: leading zeros": why values of each field are rejected, once. undefined: none is. */
export function addressFaultsIn(fields: Readonly<Record<string, readonly (string | undefined)[]>>): string[] | undefined {
  const faults = Object.entries(fields).flatMap(([field, values]) =>
    values.flatMap((value) => {
      const fault = addressFault(value ?? '');
      return fault === undefined ? [] : [`${field}: ${fault}`];
    }),
  );
  return faults.length === 0 ? undefined : [...new Set(faults)];
}

/** ::ffff:0:0/96 */
const MAPPED = /^0{80}1{16}[01]{32}$/;

/** Of octets; groups of IPv6 may have them, up to four digits. */
function hasLeadingZeros(address: string): boolean {
  const octets = dotted(address).split('.');
  return octets.some((octet) => /^0\d/.test(octet)) || /[\da-f]{5,}/i.test(address);
}

/** The part that is written in octets: all of IPv4, of IPv6 at most its end. */
const dotted = (address: string): string => /[\d.]*\.[\d.]*$/.exec(address)?.[0] ?? '';

const binary = (digits: string, base: number, width: number): string => Number.parseInt(digits, base).toString(2).padStart(width, '0');

function bitsOf(address: string): string {
  const quad = dotted(address);
  const tail =
    quad === ''
      ? ''
      : quad
          .split('.')
          .map((octet) => binary(octet, 10, 8))
          .join('');
  if (!address.includes(':')) return tail;
  const [before = '', after] = address.slice(0, address.length - quad.length).split('::');
  const [head, rest] = [groups(before), groups(after ?? '') + tail];
  return after === undefined ? head + rest : head.padEnd(128 - rest.length, '0') + rest;
}

const groups = (written: string): string =>
  written
    .split(':')
    .filter((group) => group !== '')
    .map((group) => binary(group, 16, 16))
    .join('');
