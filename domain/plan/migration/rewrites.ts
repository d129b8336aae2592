/** What becomes of all manifests of one checkout or cluster together, for either step. */
import type { Manifest, Rewrite } from './edit.ts';
import { type Bundle, migrateToV1 } from './bundle.ts';
import type { Step } from './names.ts';
import { nodeTemplateToNodeClass } from './node-template.ts';
import { LEGACY_NODE_TEMPLATE, PROVISIONER, provisionerToNodePool } from './provisioner.ts';
import { workloadRewrite } from './workloads.ts';

export interface Rewrites extends Pick<Bundle, 'added' | 'questions'> {
  /** By the object as it was given; those of other kinds are not among them. */
  rewrites: Map<Manifest, Rewrite>;
}

export function rewriteManifests(objects: readonly Manifest[], step: Step): Rewrites {
  const rewrites = new Map<Manifest, Rewrite>();
  for (const object of objects) {
    const rewrite = (step === 'v1beta1' ? alphaRewrite(object) : undefined) ?? workloadRewrite(object, step);
    if (rewrite !== undefined) rewrites.set(object, rewrite);
  }
  if (step === 'v1beta1') return { rewrites, added: [], questions: [] };
  const { migrated, added, questions } = migrateToV1(objects);
  for (const each of migrated) rewrites.set(each.before, each);
  return { rewrites, added, questions };
}

/** undefined: no object of v1alpha5. */
export function alphaRewrite(object: Manifest): Rewrite | undefined {
  if (object.apiVersion === PROVISIONER && object.kind === 'Provisioner') return provisionerToNodePool(object);
  return object.apiVersion === LEGACY_NODE_TEMPLATE && object.kind === 'AWSNodeTemplate' ? nodeTemplateToNodeClass(object) : undefined;
}

/** Is there anything to do or to ask? */
export const concerns = ({ edits, questions }: Rewrite): boolean => edits.length + questions.length > 0;
