/** What `belay snapshot` says. */
import { type ClusterRef, eksNameOf } from '../../domain/core/cluster-ref.ts';
import { count } from '../../domain/core/text.ts';

export const snapshotNeedsFile = (): string =>
  'Which file? Name it with -o, for example: belay snapshot CLUSTER -o cluster.snapshot.json.gz';

export const mapWithoutAnonymize = (): string => '--map needs --anonymize: otherwise names stay as they are, and there is no map.';

export const fileExists = (file: string): string => `${file} already exists. Name another file, or replace it with --force.`;

/** `size`: "1.2 MB"; `gapCount`: of what could not be read. */
export const snapshotTaken = (file: string, size: string, objectCount: number, gapCount: number): string =>
  `${file}: ${size}, ${count(objectCount, 'object')}${gapCount === 0 ? '' : `; ${count(gapCount, 'reading')} failed, see the gaps above`}. See what is in it with "belay snapshot show ${file}".`;

export const mapWritten = (file: string): string =>
  `The map from tokens to names is in ${file}. Keep it, and do not share it with anyone who may not see the names.`;

export const notAMap = (file: string, why: string): string => `${file} is not a map written by belay snapshot --anonymize (${why}).`;

export const mapNotNeeded = (file: string): string =>
  `${file} contains the real names: --map is only for snapshots taken with --anonymize.`;

export const incomplete = (what: string, why: string): string => `Not in the snapshot: ${what} (${why})`;

export const otherClustersSnapshot = (file: string, its: string, wanted: string): string =>
  `${file} is a snapshot of ${its}, not of ${wanted}: leave the name out, or name the right file.`;

/** A cluster of belay.yaml that has the snapshot's name, and the fields of the file in which it is another: account, region, name. */
interface Elsewhere {
  cluster: ClusterRef;
  fields: readonly string[];
}

/** `cluster`: that of the snapshot. */
export const snapshotElsewhere = (file: string, cluster: ClusterRef, { config, ...other }: Elsewhere & { config: string }): string =>
  `${file} is a snapshot of ${placeOf(cluster)}; ${other.cluster.name} in ${config} is ${placeOf(other.cluster)}. Name the right file, correct ${fieldsOf(other)}, or leave the name out to use Belay's defaults.`;

/** `cluster`: that of the snapshot. */
export const configElsewhere = (config: string, cluster: ClusterRef, other: Elsewhere): string =>
  `Belay's defaults are used: the snapshot is of ${placeOf(cluster)}, and ${other.cluster.name} in ${config} is ${placeOf(other.cluster)}. If they are the same, correct ${fieldsOf(other)}.`;

/** `cluster`: that of the snapshot. */
export const notInConfig = (config: string, cluster: ClusterRef): string =>
  `Belay's defaults are used: ${config} has no cluster that is ${placeOf(cluster)}. To use your own settings, add it there, with "name: ${eksNameOf(cluster)}" if you call it something else.`;

export const anonymousSnapshot = (config: string): string =>
  `Belay's defaults are used: the snapshot is anonymized, so it matches no cluster of ${config}.`;

const placeOf = (cluster: ClusterRef): string => `EKS cluster ${eksNameOf(cluster)} in account ${cluster.account}, ${cluster.region}`;

const fieldsOf = ({ cluster, fields }: Elsewhere): string => fields.map((field) => `clusters.${cluster.name}.${field}`).join(' and ');
