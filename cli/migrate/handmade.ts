/** Files that only people can change: templates, patches, what is no YAML. */
import { posix } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { field } from '../../domain/core/unknown.ts';
import { helmTemplate, kustomizePatch, notYaml, terraformFile } from '../messages/views.ts';

const KUSTOMIZATION = /(?:^|\/)kustomization\.ya?ml$|(?:^|\/)Kustomization$/;

/** Why a file is not to be rewritten; undefined: it is made of plain manifests. */
export type Handmade = (file: SourceFile) => string | undefined;

/** @param sources all files of the checkout: which ones are patches stands in others. */
export function handmadeIn(sources: readonly SourceFile[]): Handmade {
  const patches = new Set(sources.filter(({ path }) => KUSTOMIZATION.test(path)).flatMap(patchesOf));
  return ({ path, text }) => {
    if (/\{\{/.test(text)) return helmTemplate();
    if (/\.(?:tf|tftpl|tmpl)$/.test(path)) return terraformFile();
    if (patches.has(path) || KUSTOMIZATION.test(path)) return kustomizePatch();
    const documents = parseAllDocuments(text);
    if (!Array.isArray(documents)) return undefined;
    const broken = documents.flatMap(({ errors }) => errors)[0];
    if (broken !== undefined) return notYaml(broken.message.split('\n')[0] ?? '');
    return documents.some((document) => document.get('kind') === 'Kustomization' || Array.isArray(document.toJS()))
      ? kustomizePatch()
      : undefined;
  };
}

/** Paths of the patches that a kustomization names, as the checkout has them. */
function patchesOf({ path, text }: SourceFile): string[] {
  const documents = parseAllDocuments(text);
  return (Array.isArray(documents) ? documents : []).flatMap((document) => {
    const kustomization: unknown = document.errors.length > 0 ? undefined : document.toJS();
    const listed = ['patches', 'patchesJson6902', 'patchesStrategicMerge'].flatMap((key): unknown[] => {
      const value = field(kustomization, key);
      return Array.isArray(value) ? value : [];
    });
    return listed
      .map((each) => (typeof each === 'string' ? each : field(each, 'path')))
      .filter((each) => typeof each === 'string')
      .map((each) => posix.normalize(posix.join(posix.dirname(path), each)));
  });
}

export interface SourceFile {
  path: string;
  text: string;
}
