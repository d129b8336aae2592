/** What a gate says of side effects. */
import type { Difference, SideEffect, Touched } from './side-effect.ts';
import { touchedText } from './side-effect.ts';

const LINES = 10;

/** "add-on aws-ebs-csi-driver: serviceAccountRoleArn" */
export function headline({ resource, differences }: SideEffect): string {
  return `${touchedText(resource)}: ${differences.map(({ path }) => path).join(', ')}`;
}

export function differenceLines(effects: readonly SideEffect[]): string[] {
  const lines = effects.flatMap(({ resource, differences, moreCount }) => [
    ...differences.map((each) => `${touchedText(resource)}: ${each.path}: ${each.before ?? 'absent'} → ${each.after ?? 'absent'}`),
    ...(moreCount === 0 ? [] : [`${touchedText(resource)}: ${moreCount} more`]),
  ]);
  return lines.length <= LINES ? lines : [...lines.slice(0, LINES - 1), `${lines.length - LINES + 1} more`];
}

export function putBackLines(effects: readonly SideEffect[]): string[] {
  const lines = effects.flatMap(({ resource, differences }) => differences.map((each) => putBackOf(resource, each)));
  return [...new Set(lines)].slice(0, LINES);
}

function putBackOf(resource: Touched, { path, putBack }: Difference): string {
  if (putBack !== undefined) return `\`${putBack}\``;
  return 'eks' in resource
    ? `${path}: put it back in EKS, or where it is kept as code; the run's rollback point has what it was`
    : `${path}: apply the manifest of ${touchedText(resource)} again`;
}

/** Who is likely to have done it. */
export function causeOf(effects: readonly SideEffect[]): string[] {
  const ofEks = effects.some(({ resource }) => 'eks' in resource);
  const ofKubernetes = effects.some(({ resource }) => !('eks' in resource));
  return [
    ...(ofEks
      ? [
          'EKS reset a setting that the update did not name, or somebody changed it while the update ran: CloudTrail has the requests of these minutes.',
        ]
      : []),
    ...(ofKubernetes
      ? ['A mutating admission webhook or policy changed the object as Belay wrote it: the object was not changed by others in between.']
      : []),
  ];
}
