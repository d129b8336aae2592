/** Built-in types that a server has only from a minor on: what is kept in them is out of reach once its control plane has gone back. */
import type { ResourceType } from './store.ts';

interface NewerType {
  type: ResourceType;
  /** By minor; EKS serves the beta of Dynamic Resource Allocation from 1.33 on (user guide, release notes). */
  versions: readonly { version: string; fromMinor: number }[];
}

const networking = (plural: string, kind: string): NewerType => ({
  type: { group: 'networking.k8s.io', version: 'v1', plural, kind, namespaced: false },
  versions: [{ version: 'v1', fromMinor: 33 }],
});
const devices = (plural: string, kind: string, namespaced: boolean): NewerType => ({
  type: { group: 'resource.k8s.io', version: 'v1', plural, kind, namespaced },
  versions: [
    { version: 'v1', fromMinor: 34 },
    { version: 'v1beta1', fromMinor: 33 },
  ],
});

const NEWER: readonly NewerType[] = [
  networking('ipaddresses', 'IPAddress'),
  networking('servicecidrs', 'ServiceCIDR'),
  devices('deviceclasses', 'DeviceClass', false),
  devices('resourceclaims', 'ResourceClaim', true),
];

export const NEWER_TYPES: readonly ResourceType[] = NEWER.map(({ type }) => type);

/** The versions that a server of a minor such as "1.33" has of such a type, none before its time; undefined: it is no such type. */
export function newerVersions({ group, plural }: Pick<ResourceType, 'group' | 'plural'>, serverVersion: string): string[] | undefined {
  const minor = Number(serverVersion.split('.')[1]);
  const newer = NEWER.find(({ type }) => type.group === group && type.plural === plural);
  return newer?.versions.filter(({ fromMinor }) => fromMinor <= minor).map(({ version }) => version);
}
