/** What `belay snapshot` says. */
import { count } from '../../domain/core/text.ts';

export const snapshotNeedsFile = (): string => 'Which file? Name it with -o, such as belay snapshot CLUSTER -o cluster.snapshot.json.gz';

export const mapWithoutAnonymize = (): string => '--map is for --anonymize: without it, names stay as they are and there is no map.';

export const fileExists = (file: string): string => `${file} is there already. Name another file, or replace it with --force.`;

/** `size`: "1.2 MB"; `gapCount`: of what could not be read. */
export const snapshotTaken = (file: string, size: string, objectCount: number, gapCount: number): string =>
  `${file}: ${size}, ${count(objectCount, 'object')}${gapCount === 0 ? '' : `; ${count(gapCount, 'reading')} failed, see the gaps above`}. See what is in it with "belay snapshot show ${file}".`;

export const mapWritten = (file: string): string =>
  `The map from tokens to names is ${file}: keep it, and give it to nobody who may not know the names.`;

export const notAMap = (file: string, why: string): string => `${file} is no map of belay snapshot --anonymize (${why}).`;

export const mapNotNeeded = (file: string): string =>
  `${file} has the real names in it: --map is for snapshots that were taken with --anonymize.`;

export const incomplete = (what: string, why: string): string => `Not in the snapshot: ${what} (${why})`;
