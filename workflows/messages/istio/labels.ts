/** What points at an Istio revision: labels of namespaces, tags, the defaults. */
import { agree, someOf } from '../../../domain/core/text.ts';
import { type ChangeRequest, info, type Note, quietAlarm, warning } from '../note.ts';

const MANY = 20;

const labelsAsk = (names: readonly string[], revision: string, managedBy: string): ChangeRequest['ask'] => ({
  component: 'namespace',
  name: names.join(', '),
  version: revision,
  managedBy,
});

/** `keepers`: who would revert a patch. */
export const labelNamespaces = (
  names: readonly string[],
  revision: string,
  { keepers, managedBy }: { keepers: readonly string[]; managedBy: string },
): ChangeRequest => ({
  ask: labelsAsk(names, revision, managedBy),
  text:
    `Please label ${someOf(names, MANY)} \`istio.io/rev: ${revision}\` where ${agree(names.length, 'this namespace is', 'these namespaces are')} declared, without istio-injection: ` +
    `${keepers.join(' and ')} would revert a patch. Nothing restarts before that. Belay continues once the labels are set. With a revision tag in these labels, no upgrade would need this merge.`,
});

export const labelsReverted = (reverted: readonly { namespace: string; now: string }[], fromRevision: string): Note =>
  quietAlarm(
    `Somebody reverted labels that Belay had moved: ${reverted.map(({ namespace, now }) => `${namespace} (${now})`).join(', ')}. New pods there get the previous revision, ${fromRevision}, until the labels are changed at their source.`,
  );

export const keepLabels = (names: readonly string[], revision: string, managedBy: string): ChangeRequest => ({
  ask: labelsAsk(names, revision, managedBy),
  text: `Please set \`istio.io/rev: ${revision}\` for ${someOf(names, MANY)} where these labels are managed (GitOps, a script, another operator), without istio-injection. Belay continues once the labels are set.`,
});

export const restoringLabels = (names: readonly string[]): string => `Restoring the labels of ${someOf(names, 6)}.`;

export const labelNotRestored = (what: string, { by, revision }: { by: string; revision: string }): Note =>
  warning(
    `Istio: ${what} belongs to ${by} and names ${revision} now; restore its previous label where it is declared. The run does not wait for that.`,
  );

export const moveTag = (
  tag: string,
  revision: string,
  { what, by, managedBy }: { what: string; by: string; managedBy: string },
): ChangeRequest => ({
  ask: { component: 'istio-tag', name: tag, version: revision, managedBy },
  text:
    `Please point ${what} at ${revision} where it is declared: it belongs to ${by}, which would revert a patch. ` +
    `\`istioctl tag generate ${tag} --revision ${revision} --overwrite\` prints it. Belay continues once it points there.`,
});

export const movingDefaults = (revision: string, successor: string): string =>
  `Pointing the default tag and the default validator at ${successor}, before ${revision} is removed.`;

export const moveDefaultsByHand = (
  held: readonly { what: string; by: string }[],
  { revision, successor, managedBy }: { revision: string; successor: string; managedBy: string },
): ChangeRequest => ({
  ask: { component: 'istio-defaults', name: revision, version: successor, managedBy },
  text:
    `Please point ${held.map(({ what, by }) => `${what}, which belongs to ${by},`).join(' and ')} at ${successor}: set \`defaultRevision: ${successor}\` in the values of istio-base, and tag default (revisionTags) likewise. ` +
    `A patch would be reverted. Belay asks for the removal of ${revision} once they point there.`,
});

/** `object`: what delivers istio-base. */
export const defaultsMoved = (object: string, successor: string): Note => info(`Istio: ${object} now says defaultRevision ${successor}.`);

/** They have left the mesh since the plan. */
export const namespacesLeftMesh = (namespaces: readonly string[], label: string): Note =>
  warning(
    `Istio ${label}: ${someOf(namespaces)} no longer ${namespaces.length === 1 ? 'selects' : 'select'} a revision (no istio.io/rev, and istio-injection is not enabled). Left as they are, not moved.`,
  );
