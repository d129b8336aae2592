/** What EKS offered when the snapshot was taken: Kubernetes versions, and versions of add-ons. */
import { compareVersions } from './compare-versions.ts';
import type { Snapshot } from '../../../../domain/facts/snapshot/format.ts';
import { knowsMinor } from '../../../aws/eks/catalogue.ts';
import type { EksState } from '../../../aws/eks/state.ts';
import { all, type Fields, records, text, time } from './calls.ts';

type Offer = EksState['versions'][number];
type AddOnVersion = EksState['addOnCatalogue'][string][number];

export function fillOffers(eks: EksState, snapshot: Snapshot): void {
  const offered = all(snapshot, 'DescribeClusterVersions', 'clusterVersions').flatMap(offerOf);
  const minors = [...new Map(offered.map((offer) => [offer.version, offer])).values()].filter(({ version }) => knowsMinor(version));
  if (minors.length > 0) eks.versions = minors.toSorted((a, b) => compareVersions(b.version, a.version));
  for (const [name, versions] of Object.entries(addOnsOf(snapshot))) eks.addOnCatalogue[name] = versions;
}

function offerOf(found: Fields): Offer[] {
  const version = text(found['clusterVersion']);
  if (version === undefined) return [];
  const day = (value: unknown): string => new Date(time(value) ?? 0).toISOString().slice(0, 10);
  return [
    {
      version,
      platformVersion: text(found['defaultPlatformVersion']) ?? 'eks.1',
      releaseDate: day(found['releaseDate']),
      endOfStandardSupport: day(found['endOfStandardSupportDate']),
      endOfExtendedSupport: day(found['endOfExtendedSupportDate']),
    },
  ];
}

/** Of one minor or of all, by which was asked for: put together, newest first. */
function addOnsOf(snapshot: Snapshot): Record<string, AddOnVersion[]> {
  const found = new Map<string, Map<string, AddOnVersion>>();
  for (const addOn of all(snapshot, 'DescribeAddonVersions', 'addons')) {
    const name = text(addOn['addonName']) ?? '';
    const versions = found.get(name) ?? new Map<string, AddOnVersion>();
    found.set(name, versions);
    for (const offered of records(addOn['addonVersions'])) {
      const version = text(offered['addonVersion']) ?? '';
      const known = versions.get(version) ?? { version, minors: [], defaultFor: [] };
      versions.set(version, known);
      for (const compatibility of records(offered['compatibilities'])) {
        const minor = text(compatibility['clusterVersion']) ?? '';
        if (!known.minors.includes(minor)) known.minors.push(minor);
        if (compatibility['defaultVersion'] === true && !known.defaultFor.includes(minor)) known.defaultFor.push(minor);
      }
    }
  }
  return Object.fromEntries(
    [...found].map(([name, versions]) => [name, [...versions.values()].toSorted((a, b) => compareVersions(b.version, a.version))]),
  );
}
