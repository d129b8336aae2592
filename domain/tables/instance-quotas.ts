/**
 * Quotas of EC2 for running instances, in vCPUs: one for each group of families, On-Demand and Spot apart. Names and codes as Service Quotas lists them
 * (`aws service-quotas list-service-quotas --service-code ec2`; https://docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-quotas.html).
 */

/** A, C, D, H, I, M, R, T and Z, On-Demand. */
export const STANDARD_ON_DEMAND = 'L-1216C47A';

/** By what stands before the generation: "im" of im4gn, which is storage optimized as "i" is. */
const QUOTAS: readonly { families: readonly string[]; onDemand: string; spot?: string }[] = [
  { families: ['a', 'c', 'd', 'h', 'i', 'im', 'is', 'm', 'r', 't', 'z'], onDemand: STANDARD_ON_DEMAND, spot: 'L-34B43A08' },
  { families: ['g', 'gr', 'vt'], onDemand: 'L-DB2E81BA', spot: 'L-3819A6DF' },
  { families: ['p'], onDemand: 'L-417A185B', spot: 'L-7212CCBC' },
  { families: ['inf'], onDemand: 'L-1945791B', spot: 'L-B5D1601B' },
  { families: ['trn'], onDemand: 'L-2C3B7624', spot: 'L-6B0D517C' },
  { families: ['dl'], onDemand: 'L-6E869C2A', spot: 'L-85EED4F7' },
  { families: ['f'], onDemand: 'L-74FC7D96', spot: 'L-88CF9481' },
  { families: ['x'], onDemand: 'L-7295265B', spot: 'L-E3A00192' },
  { families: ['u'], onDemand: 'L-43DA4232' },
  { families: ['hpc'], onDemand: 'L-F7808C92' },
];

/** "g5.xlarge" counts against L-DB2E81BA. undefined: none that is known here. */
export function quotaOfInstance(type: string, isSpot: boolean): string | undefined {
  const family = /^[a-z]+/.exec(type)?.[0] ?? '';
  const quota = QUOTAS.find(({ families }) => families.includes(family));
  return isSpot ? quota?.spot : quota?.onDemand;
}
