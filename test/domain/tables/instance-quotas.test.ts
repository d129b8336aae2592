import { expect, test } from 'vitest';
import { quotaOfInstance } from '../../../domain/tables/instance-quotas.ts';

test.each<[type: string, onDemand: string | undefined, spot: string | undefined]>([
  ['m5.large', 'L-1216C47A', 'L-34B43A08'],
  ['im4gn.large', 'L-1216C47A', 'L-34B43A08'],
  ['g5.xlarge', 'L-DB2E81BA', 'L-3819A6DF'],
  ['vt1.3xlarge', 'L-DB2E81BA', 'L-3819A6DF'],
  ['p6-b200.48xlarge', 'L-417A185B', 'L-7212CCBC'],
  ['inf2.xlarge', 'L-1945791B', 'L-B5D1601B'],
  ['trn1n.32xlarge', 'L-2C3B7624', 'L-6B0D517C'],
  ['dl1.24xlarge', 'L-6E869C2A', 'L-85EED4F7'],
  ['u7i-12tb.224xlarge', 'L-43DA4232', undefined],
  ['mac2.metal', undefined, undefined],
  ['', undefined, undefined],
])('"%s" counts against %s, as Spot against %s', (type, onDemand, spot) => {
  expect([quotaOfInstance(type, false), quotaOfInstance(type, true)]).toEqual([onDemand, spot]);
});
