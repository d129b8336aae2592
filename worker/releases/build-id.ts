/** The build id of a worker: the release and the workflow code that it runs. Temporal keeps it with each poll, and in history with each workflow task. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const PACKAGE = z.object({ version: z.string() });

/** Of package.json, such as "0.1.0". */
export function thisRelease(): string {
  return PACKAGE.parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))).version;
}

/** "eks-belay@0.1.0+3f2a9c01b7e4", for a worker without versions. `bundle`: bundleId of the workflow code. */
export const buildIdOf = (release: string, bundle: string): string => `eks-belay@${release}+${bundle}`;

const BUILD_ID = /eks-belay@([^+]+)\+([0-9a-f]+)$/;

/** "0.1.0"; undefined: the build id is of somebody else's making. What Temporal's search attributes put before it is passed over. */
export const releaseOf = (buildId: string): string | undefined => BUILD_ID.exec(buildId)?.[1];

/** "0.1.0 (bundle 3f2a9c01b7e4)". What somebody else has chosen, such as the worker controller or an earlier worker's SDK, is shown as it is. */
export function releaseWords(buildId: string): string {
  const match = BUILD_ID.exec(buildId);
  return match === null ? buildId : `${match[1]} (bundle ${match[2]})`;
}
