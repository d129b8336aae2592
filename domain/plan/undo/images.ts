/** Whether the images are still there to which a node class goes back, and whether their kubelets may run under the control plane of today. */
import { buildOf, minorOfImage } from '../../facts/ami-names.ts';
import { compareKubernetesVersions, formatKubernetesVersion, tryKubernetesVersion } from '../../core/version.ts';
import type { SelectorTerm } from '../model/changes.ts';
import type { RuleViolation } from '../model/types.ts';
import { refusal, type UndoInput } from './undo-input.ts';
import { allowedSkew, lagsTooFar } from '../../facts/version-skew.ts';

/** The minor of nodes that are launched from these; or why they must not be. */
export function minorBefore(input: UndoInput, nodeClass: string, terms: readonly SelectorTerm[]): string | RuleViolation {
  const [alias] = terms.flatMap((term) => term.alias ?? []);
  if (alias !== undefined) return ofAlias(input, nodeClass, alias);
  return ofIds(
    input,
    nodeClass,
    terms.flatMap(({ id }) => id ?? []),
  );
}

/** An alias means images of the control plane's minor. */
function ofAlias({ minor, images }: UndoInput, nodeClass: string, alias: string): string | RuleViolation {
  const build = buildOf(images?.builds ?? [], alias, minor);
  if (build === undefined)
    return refusal(
      'RBK110',
      `Whether Amazon has an image of ${alias} for ${minor}, to which EC2NodeClass ${nodeClass} would go back, cannot be seen${why(images?.unseen)}.`,
      'Allow ssm:GetParameter on /aws/service/*, then ask again.',
    );
  if (Object.keys(build.images).length > 0) return minor;
  return refusal(
    'RBK110',
    `Amazon has no image of ${alias} for ${minor}: EC2NodeClass ${nodeClass} would find none, and Karpenter would keep what it has.`,
    `Choose another release of the family for ${minor}, or image ids, in its amiSelectorTerms.`,
  );
}

function ofIds({ hop, minor, images }: UndoInput, nodeClass: string, ids: readonly string[]): string | RuleViolation {
  const names = images?.names;
  if (names === undefined)
    return refusal(
      'RBK110',
      `Whether ${ids.join(', ')}, to which EC2NodeClass ${nodeClass} would go back, still exist and for which minor they are cannot be seen${why(images?.unseen)}.`,
      'Allow ec2:DescribeImages, then ask again.',
    );
  const gone = ids.filter((id) => names[id] === undefined);
  if (gone.length > 0)
    return refusal(
      'RBK110',
      `${gone.join(', ')}, which EC2NodeClass ${nodeClass} chose, ${gone.length === 1 ? 'does' : 'do'} no longer exist, or not for this account.`,
      `Choose other images for ${minor} in its amiSelectorTerms: Amazon's by alias, your own after building them again.`,
    );
  const found = ids.map((id) => minorOfImage(names[id] ?? ''));
  const [first] = found;
  const unnamed = ids.find((_, index) => found[index] === undefined);
  if (first === undefined || unnamed !== undefined)
    return refusal(
      'RBK110',
      `The name of ${unnamed ?? 'the image'}${unnamed === undefined ? '' : ` (${names[unnamed]})`}, which EC2NodeClass ${nodeClass} chose, does not say for which minor it is.`,
      `Where it is of a minor that may run under ${minor}, set it in its amiSelectorTerms by hand.`,
    );
  if (found.some((each) => each !== first))
    return refusal(
      'RBK110',
      `EC2NodeClass ${nodeClass} chose images of several minors: ${ids.map((id, index) => `${id} of ${found[index]}`).join(', ')}.`,
      'Set those that are wanted in its amiSelectorTerms by hand.',
    );
  const kubelet = tryKubernetesVersion(first);
  if (kubelet !== undefined && compareKubernetesVersions(kubelet, hop.to) > 0)
    return refusal(
      'RBK110',
      `The images that EC2NodeClass ${nodeClass} chose are of ${first}: no kubelet may be newer than the control plane, which is at ${minor}.`,
      `Choose images of ${minor} in its amiSelectorTerms.`,
    );
  if (kubelet !== undefined && lagsTooFar(kubelet, hop.to))
    return refusal(
      'RBK110',
      `The images that EC2NodeClass ${nodeClass} chose are of ${formatKubernetesVersion(kubelet)}: kubelets may lag ${allowedSkew(kubelet)} minors behind the control plane, which is at ${minor}.`,
      `Choose images of ${minor} in its amiSelectorTerms.`,
    );
  return first;
}

const why = (unseen: string | undefined): string => (unseen === undefined ? '' : ` (${unseen})`);
