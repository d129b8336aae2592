/** Which of several Deployments that claim to be one controller runs: a move between namespaces leaves one behind that is scaled to 0. */

/** Those that are not scaled to 0; all of them where none is left otherwise. More than one: nobody can say which counts. */
export function runningDeployments<T extends { spec?: { replicas?: number | undefined } | undefined }>(found: readonly T[]): readonly T[] {
  const scaled = found.filter(({ spec }) => spec?.replicas !== 0);
  return scaled.length > 0 ? scaled : found;
}
