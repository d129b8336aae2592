/** Which addresses and CIDRs an API server of 1.36 refuses: as k8s.io/apimachinery/pkg/util/validation/ip.go with strictValidation. */
import { expect, test } from 'vitest';
import { addressFault } from '../../../domain/tables/strict-addresses.ts';

test.each([
  ['10.0.0.5', undefined],
  ['0.0.0.0', undefined],
  ['100.200.0.10', undefined],
  ['010.0.0.5', 'leading zeros'],
  ['10.000.0.5', 'leading zeros'],
  ['10.0.0.05', 'leading zeros'],
  ['fd00::1', undefined],
  ['FD00:0:0:0::0123', undefined],
  ['::', undefined],
  ['64:ff9b::192.0.2.33', undefined],
  ['64:ff9b::192.0.2.033', 'leading zeros'],
  ['fd00::00001', 'leading zeros'],
  ['::ffff:10.0.0.5', 'IPv4-mapped IPv6'],
  ['::FFFF:0a00:0005', 'IPv4-mapped IPv6'],
  ['0:0:0:0:0:ffff:10.0.0.5', 'IPv4-mapped IPv6'],
  ['::fffe:10.0.0.5', undefined],
  ['::ffff:0:10.0.0.5', undefined],
])('address %s: %s', (address, fault) => {
  expect(addressFault(address)).toBe(fault);
});

test.each([
  ['10.0.0.0/8', undefined],
  ['10.0.0.5/32', undefined],
  ['0.0.0.0/0', undefined],
  // White space around source ranges is cut off, before and after 1.36.
  [' 10.0.0.0/8 ', undefined],
  ['10.0.0.5/8', 'bits beyond the prefix length'],
  ['192.168.1.129/25', 'bits beyond the prefix length'],
  ['192.168.1.128/25', undefined],
  ['010.0.0.0/8', 'leading zeros'],
  ['10.0.0.0/08', 'leading zeros'],
  ['fd00::/8', undefined],
  ['2001:db8::/32', undefined],
  ['2001:db8::1/32', 'bits beyond the prefix length'],
  ['2001:db8:0:0:0:0:0:1/128', undefined],
  ['::/0', undefined],
  ['::ffff:10.0.0.0/104', 'IPv4-mapped IPv6'],
])('CIDR %s: %s', (cidr, fault) => {
  expect(addressFault(cidr)).toBe(fault);
});
