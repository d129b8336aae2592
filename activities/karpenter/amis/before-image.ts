/** The before-image of an EC2NodeClass's selection of AMIs, in an annotation of its own: written with the change, put back exactly. */
import { z } from 'zod';
import { readJson } from '../../runtime/read-json.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import { annotate, type JsonOperation } from '../../kubernetes/objects/patch-object.ts';
import { sameJson } from '../../runtime/same-json.ts';
import type { NodeClass } from '../../clients/kubernetes/objects.ts';

export type Terms = Record<string, unknown>[];

/** `wrote`: our terms, by which a change of others is told. amiFamily null: was absent. */
const Image = z.object({
  amiSelectorTerms: z.array(z.record(z.string(), z.unknown())),
  amiFamily: z.string().nullable(),
  wrote: z.array(z.record(z.string(), z.unknown())),
});

export type AmiImage = z.infer<typeof Image>;

export const termsOf = (nodeClass: NodeClass): Terms => nodeClass.spec?.amiSelectorTerms ?? [];

/** undefined: there is none that can be read. */
export function readImage(nodeClass: NodeClass, annotation: string): AmiImage | undefined {
  return readJson(nodeClass.metadata.annotations?.[annotation], Image);
}

/** One patch: before-image, terms, family. The before-image of an earlier change that others have reverted is kept. `amiFamily` undefined: as it is; null: none. */
export function selectOperations(
  nodeClass: NodeClass,
  annotation: string,
  wrote: Terms,
  amiFamily: string | null | undefined,
): JsonOperation[] {
  const written = readImage(nodeClass, annotation);
  // Where our earlier terms stand, they are what is changed now.
  const kept = written === undefined || sameJson(termsOf(nodeClass), written.wrote) ? undefined : written;
  const image: AmiImage =
    kept === undefined ? { amiSelectorTerms: termsOf(nodeClass), amiFamily: nodeClass.spec?.amiFamily ?? null, wrote } : { ...kept, wrote };
  return [
    ...annotate(nodeClass, { [annotation]: JSON.stringify(image) }),
    { op: 'add', path: '/spec/amiSelectorTerms', value: wrote },
    ...(amiFamily === undefined ? [] : setFamily(nodeClass, amiFamily)),
  ];
}

/** Terms and family as they were, the annotation gone. Throws where others have changed the terms meanwhile. `doing`: "releasing the AMIs of x". */
export function restoreOperations(nodeClass: NodeClass, annotation: string, doing: string): JsonOperation[] {
  if (nodeClass.metadata.annotations?.[annotation] === undefined) return [];
  const image = readImage(nodeClass, annotation);
  if (image === undefined) {
    throw failureOf('InvalidRequest', `${doing}: annotation ${annotation} cannot be read; set amiSelectorTerms by hand`);
  }
  const cleaned = annotate(nodeClass, { [annotation]: null });
  const terms = termsOf(nodeClass);
  if (sameJson(terms, image.amiSelectorTerms)) return [...cleaned, ...setFamily(nodeClass, image.amiFamily)];
  if (!sameJson(terms, image.wrote)) {
    throw failureOf(
      'InvalidRequest',
      `${doing}: others have changed amiSelectorTerms since; the earlier terms were ${JSON.stringify(image.amiSelectorTerms)}. Restore the ones you want, and remove annotation ${annotation}`,
    );
  }
  return [
    ...cleaned,
    { op: 'add', path: '/spec/amiSelectorTerms', value: image.amiSelectorTerms },
    ...setFamily(nodeClass, image.amiFamily),
  ];
}

function setFamily(nodeClass: NodeClass, family: string | null): JsonOperation[] {
  const current = nodeClass.spec?.amiFamily ?? null;
  if (current === family) return [];
  return family === null ? [{ op: 'remove', path: '/spec/amiFamily' }] : [{ op: 'add', path: '/spec/amiFamily', value: family }];
}
