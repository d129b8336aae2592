/** Findings about the images of Karpenter's nodes: edits that the plan makes, and what could not be looked up. */
import { isPinned } from '../../facts/ami-names.ts';
import type { Finding } from '../../core/findings.ts';
import { classesInUse, selectionWords } from '../karpenter/ami-changes.ts';
import { PROMOTED } from '../../policy/ami-promotion.ts';
import { familyOf } from '../karpenter/node-class-switch.ts';
import { findingAbout, type FindingContext } from './finding.ts';
import { aliasOf } from '../../facts/node-classes.ts';

export function amiFindings(context: FindingContext): Finding[] {
  return [...switches(context), ...edits(context), ...notPromoted(context), ...bakedElsewhere(context), ...notLookedUp(context)];
}

const rollsOf = ({ draft }: FindingContext) => draft.steps.flatMap(({ params }) => (params.phase === 'karpenter-drift' ? [params] : []));

function notPromoted(context: FindingContext): Finding[] {
  const [first] = rollsOf(context);
  return (first?.unpromoted ?? []).flatMap(({ nodeClass, chooses, status, why }) =>
    findingAbout(
      [nodeClass],
      (name) => name,
      (name) => ({
        code: 'PLN061',
        title: 'No AMI release to promote',
        severity: 'required',
        status,
        message: `${name} (${chooses}): ${why}. Before nodes roll, you are asked whether to wait for a release or to continue with what the class chooses.`,
        remediation:
          'Wait until the other cluster has baked one, let it roll to the end, give Belay the right to list its NodeClaims and EC2NodeClasses, or name a release in karpenter.amis.',
      }),
    ),
  );
}

/** The same release for another minor is another image: most of it is the same, the kubelet is not. */
function bakedElsewhere(context: FindingContext): Finding[] {
  const { promotion = [] } = context.facts;
  const promoted = rollsOf(context).flatMap(({ to, moves = [] }) =>
    moves.filter(({ why }) => why.startsWith(PROMOTED)).map(({ terms }) => ({ to, alias: selectionWords(terms) })),
  );
  const minorsOf = (alias: string): string[] => [
    ...new Set(
      promotion.flatMap(({ releases }) =>
        releases.filter(({ family, release }) => `${family}@${release}` === alias).flatMap(({ minors }) => minors),
      ),
    ),
  ];
  return findingAbout(
    promoted.filter(({ to, alias }) => !minorsOf(alias).includes(to)),
    ({ to, alias }) => `${alias} for ${minorsOf(alias).join(', ')}, not for ${to}`,
    (names) => ({
      code: 'PLN062',
      title: 'The promoted release was baked for another minor',
      message: `What is baked is ${names}: the release is the same, its kubelet is not.`,
      remediation: 'Upgrade the cluster that bakes first.',
    }),
  );
}

function switches({ facts }: FindingContext): Finding[] {
  const classOf = (name: string) => facts.karpenter?.nodeClasses.find((each) => each.name === name);
  return findingAbout(
    facts.karpenter?.switches ?? [],
    ({ nodePool, from, to }) => {
      const [before, after] = [classOf(from), classOf(to)];
      const [was, is] = [before && familyOf(before), after && familyOf(after)];
      const notes = [
        ...(was === 'AL2' && is !== 'AL2'
          ? ['cgroup v2 instead of v1: JVMs older than 8u372, 11.0.16 and 15 do not see their memory limits']
          : []),
        ...(after?.hopLimit === 1 && before?.hopLimit !== 1 ? ['IMDS hop limit 1: pods get no credentials of the node'] : []),
      ];
      return `${nodePool}: ${from} (${was ?? 'unknown family'}) → ${to} (${is ?? 'unknown family'})${notes.length === 0 ? '' : `; ${notes.join('; ')}`}`;
    },
    (names) => ({
      code: 'PLN055',
      title: 'NodePools switch node classes',
      message: `${names}. It is done as soon as the freeze stands: new nodes come from there at once, the others are replaced with the roll, once.`,
      remediation: 'Try the new class with a NodePool of its own first.',
    }),
  );
}

function edits({ draft }: FindingContext): Finding[] {
  const moves = draft.steps.flatMap(({ params }) => (params.phase === 'karpenter-drift' ? (params.moves ?? []) : []));
  return findingAbout(
    moves,
    ({ nodeClass, before, terms, why }) => `${nodeClass}: ${before} → ${selectionWords(terms)} (${why})`,
    (names) => ({
      code: 'PLN053',
      title: 'Node classes are edited',
      message: `AMIs that do not move by themselves: ${names}. The edit is made under the freeze, once the control plane has moved.`,
      remediation: 'Name other AMIs in belay.yaml (karpenter.amis), or change the node classes before the upgrade.',
    }),
  );
}

function notLookedUp({ facts }: FindingContext): Finding[] {
  if (facts.amiBuilds !== undefined) return [];
  const blind = classesInUse(facts).flatMap(({ nodeClass }) => {
    const alias = aliasOf(nodeClass);
    return alias !== undefined && isPinned(alias) ? [`${nodeClass.name} (${alias})`] : [];
  });
  return findingAbout(
    blind,
    (name) => name,
    (names) => ({
      code: 'PLN054',
      title: 'Images of pinned releases are unknown',
      severity: 'required',
      status: 'unknown',
      message: `Whether Amazon has images for the way of ${names} is not known: ${facts.amiBuildsUnseen ?? 'nobody has looked'}`,
      remediation:
        'Allow ssm:GetParameter on /aws/service/*. Without images Karpenter keeps the old ones; Belay looks again once the control plane has moved, and asks.',
    }),
  );
}
