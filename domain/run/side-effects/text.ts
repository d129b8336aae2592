/** What a gate says of side effects. */
import type { Difference, SideEffect, Touched } from './side-effect.ts';
import { touchedText } from './side-effect.ts';

const LINES = 10;

/** In a headline. */
const PATHS = 8;

/** "add-on aws-ebs-csi-driver: serviceAccountRoleArn" */
export function headline({ resource, differences, moreCount }: SideEffect): string {
  if (differences.length === 0) return `${touchedText(resource)}: ${moreCount} more, which cannot be looked at again one by one`;
  const paths = differences.slice(0, PATHS).map(({ path }) => path);
  const rest = differences.length + moreCount - paths.length;
  return `${touchedText(resource)}: ${paths.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}`;
}

export function differenceLines(effects: readonly SideEffect[]): string[] {
  const lines = effects.flatMap(({ resource, differences }) =>
    differences.map((each) => `${touchedText(resource)}: ${each.path}: ${each.before ?? 'absent'} → ${each.after ?? 'absent'}`),
  );
  const total = lines.length + effects.reduce((sum, { moreCount }) => sum + moreCount, 0);
  if (lines.length === total && total <= LINES) return lines;
  const shown = lines.slice(0, LINES - 1);
  return [...shown, `${total - shown.length} more`];
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
