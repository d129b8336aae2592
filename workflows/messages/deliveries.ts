/** Charts that Belay delivers through an object of Flux or Argo CD. */
import { info, type Note } from './note.ts';

interface ChartVersion {
  chart: string;
  /** "HelmRelease istio-system/istiod" */
  object: string;
  version: string;
}

export const settingVersion = ({ chart, object, version }: ChartVersion): string => `Setting ${chart} in ${object} to ${version}.`;

/** `component`: "Karpenter". */
export const versionSet = (component: string, { chart, object, version }: ChartVersion): Note =>
  info(`${component}: ${object} now says ${chart} ${version}. Waiting until it is delivered.`);
