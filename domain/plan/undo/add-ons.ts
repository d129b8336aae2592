/** Add-ons to the versions that they had before the last run, each where EKS offers it on the minor that the control plane has now. */
import type { AddOnFact } from '../../facts/facts.ts';
import type { KubernetesVersion } from '../../core/version.ts';
import { count, someOf } from '../../core/text.ts';
import { plannedStep } from '../steps/step.ts';
import type { AddOnChange } from '../model/changes.ts';
import type { PlannedStep, RuleViolation } from '../model/types.ts';
import { changedBy, paramsIn } from './last-run.ts';
import { asFinding, none, notDone, refusal, runWords, type UndoInput, type UndoWay } from './undo-input.ts';
import { isValidOn, KUBE_PROXY, newestOfMinors, skippedCniMinors, VPC_CNI } from '../../facts/add-on-versions.ts';

type Judged = { kind: 'change'; changes: AddOnChange[] } | { kind: 'there' } | { kind: 'refused'; violation: RuleViolation };

export function undoAddOns(input: UndoInput): UndoWay {
  const steps = paramsIn(input.run, ['add-ons-bridge', 'add-ons-target', 'add-ons-back']);
  const changed = changedBy(steps.flatMap(({ changes }) => changes));
  if (changed.size === 0) return notDone(input.run, 'changed no add-on');
  const judged = [...changed].map(([name, { before, reached }]) => judge(input, name, before, reached));
  const changes = judged.flatMap((each) => (each.kind === 'change' ? each.changes : [])).toSorted(proxyFirst);
  const refused = judged.flatMap((each) => (each.kind === 'refused' ? [each.violation] : []));
  if (changes.length === 0) {
    if (refused.length > 0) return none(...refused);
    return none(refusal('RBK103', `Every add-on that ${runWords(input.run)} changed is at its version before.`, 'There is nothing to do.'));
  }
  return {
    kind: 'way',
    steps: [step(changes, input)],
    findings: refused.map(asFinding),
    until: `EKS offers these versions for ${input.minor}`,
    cost: `about 2 minutes each; their pods are replaced once`,
  };
}

function judge({ facts, minor, hop }: UndoInput, name: string, before: string, reached: readonly string[]): Judged {
  const refused = (code: string, message: string, remedy: string): Judged => ({
    kind: 'refused',
    violation: refusal(code, message, remedy),
  });
  const addOn = facts.addOns.find((each) => each.name === name);
  if (addOn === undefined)
    return refused(
      'RBK104',
      `Add-on ${name} is not there any more, or could not be read.`,
      `Install ${name} ${before} where it is wanted.`,
    );
  if (addOn.version === before) return { kind: 'there' };
  if (!reached.includes(addOn.version))
    return refused(
      'RBK104',
      `Add-on ${name} is at ${addOn.version}, to which the run has not brought it (${reached.join(', ')}): somebody has changed it since.`,
      `Change ${name} to ${before} by hand if that is still wanted.`,
    );
  const valid = isValidOn(addOn, before, hop.to);
  if (valid === undefined)
    return refused(
      'RBK105',
      `Whether ${name} ${before} supports ${minor} cannot be seen.`,
      'Allow eks:DescribeAddonVersions, then ask again.',
    );
  if (!valid)
    return refused(
      'RBK105',
      `EKS does not offer ${name} ${before} for ${minor}.`,
      `It stays at ${addOn.version}; belay rollback ${facts.cluster.name} takes it back together with the control plane, while EKS allows that.`,
    );
  return { kind: 'change', changes: stops(addOn, before, hop.to) };
}

/** vpc-cni goes one minor at a time, down as well (EKS best practices guide, "Amazon VPC CNI"). */
function stops(addOn: AddOnFact, before: string, at: KubernetesVersion): AddOnChange[] {
  const { name, version, managed } = addOn;
  const passed = name === VPC_CNI ? newestOfMinors(addOn, skippedCniMinors(addOn, before, version, at), at).toReversed() : [];
  return [...passed, before].map((to, index, all) => ({ name, from: all[index - 1] ?? version, to, managed }));
}

/** Where it goes down: it is the one that may never be ahead. */
function proxyFirst(a: AddOnChange, b: AddOnChange): number {
  return Number(b.name === KUBE_PROXY) - Number(a.name === KUBE_PROXY);
}

function step(changes: AddOnChange[], { facts, policy, hop, minor, run }: UndoInput): PlannedStep {
  const names = [...new Set(changes.map(({ name }) => name))];
  const words = someOf(changes.map(({ name, from, to }) => `${name} ${from} → ${to}`));
  return plannedStep(
    hop,
    { phase: 'add-ons-back', to: minor, changes, managedBy: policy.managedBy.addOns },
    {
      title: 'Add-ons back to their versions before',
      why: `${words}: what ${runWords(run)} found; EKS offers each of them for ${minor}.`,
      gate: {
        title: `Take ${count(names.length, 'add-on')} of ${facts.cluster.name} back?`,
        next: `${words}, one after the other. What people have set in them is preserved.`,
        why: `EKS offers these versions for ${minor}, and the nodes and the control plane stay as they are.`,
        reason: true,
      },
      rollback: {
        what: 'each add-on, to the version that it has now',
        how: 'UpdateAddon with that version, as the next upgrade does',
        until: `EKS offers it for ${minor}`,
        cost: 'about 2 minutes each',
      },
    },
    policy,
  );
}
