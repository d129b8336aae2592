/** Karpenter's objects in a checkout: what becomes of each file, and which files only their owners can change. */
import { type Document, parseAllDocuments } from 'yaml';
import type { Bundle } from '../../domain/plan/migration/bundle.ts';
import { applyEdits, type Manifest, type Rewrite } from '../../domain/plan/migration/edit.ts';
import { OLD_NAMES, type Step } from '../../domain/plan/migration/names.ts';
import { concerns, rewriteManifests } from '../../domain/plan/migration/rewrites.ts';
import { handmadeIn, type SourceFile } from './handmade.ts';
import { applyToDocument, writeDocument } from './yaml-edits.ts';
import { oldNameElsewhere } from '../messages/views.ts';

export interface MigratedFile extends SourceFile {
  /** The whole file as it should be. */
  after: string;
  /** By object, in the order of the file. */
  objects: { name: string; reasons: string[]; questions: string[] }[];
}

export interface FileMigration {
  files: MigratedFile[];
  /** Objects that belong into no file yet. */
  added: Bundle['added'];
  /** Files with Karpenter's objects that are no plain manifests. */
  byHand: { path: string; why: string }[];
  questions: string[];
}

interface Part {
  file: SourceFile;
  document: Document;
  object: Manifest;
  /** Where the document stands in the text. */
  start: number;
  end: number;
}

/** Nothing is written. Files that cannot be parsed as they are (templates, patches) are told, not touched. */
export function migrateFiles(sources: readonly SourceFile[], step: Step): FileMigration {
  const concerned = sources.filter(({ text }) => OLD_NAMES[step].test(text));
  const byHand: FileMigration['byHand'] = [];
  const handmade = handmadeIn(sources);
  const parts = concerned.flatMap((file): Part[] => {
    const why = handmade(file);
    if (why !== undefined) byHand.push({ path: file.path, why });
    return why === undefined ? partsOf(file) : [];
  });
  const { rewrites, added, questions } = rewriteAll(parts, step);
  const files = concerned.flatMap((file) =>
    rewritten(
      file,
      parts.filter((part) => part.file === file),
      rewrites,
    ),
  );
  const after = (file: SourceFile): string => files.find(({ path }) => path === file.path)?.after ?? file.text;
  const missed = concerned.filter(
    (file) => !byHand.some(({ path }) => path === file.path) && OLD_NAMES[step].test(uncommented(after(file))),
  );
  return { files, added, byHand: [...byHand, ...missed.map(({ path, text }) => ({ path, why: missedWhy(text, step) }))], questions };
}

const uncommented = (text: string): string => text.replaceAll(/^\s*#.*$/gm, '');
const missedWhy = (text: string, step: Step): string => oldNameElsewhere(OLD_NAMES[step].exec(uncommented(text))?.[0] ?? 'an older API');

function partsOf(file: SourceFile): Part[] {
  let start = 0;
  const documents = parseAllDocuments(file.text);
  return (Array.isArray(documents) ? documents : []).flatMap((document): Part[] => {
    const end = document.range[2];
    const object: unknown = document.toJS();
    const part = { file, document, start, end };
    start = end;
    return isManifest(object) ? [{ ...part, object }] : [];
  });
}

const isManifest = (object: unknown): object is Manifest => typeof object === 'object' && object !== null && 'kind' in object;

function rewriteAll(parts: readonly Part[], step: Step): { rewrites: Map<Part, Rewrite> } & Pick<Bundle, 'added' | 'questions'> {
  const { rewrites, added, questions } = rewriteManifests(
    parts.map(({ object }) => object),
    step,
  );
  const byPart = parts.flatMap((part): [Part, Rewrite][] => {
    const rewrite = rewrites.get(part.object);
    return rewrite === undefined ? [] : [[part, rewrite]];
  });
  return { rewrites: new Map(byPart), added, questions };
}

function rewritten(file: SourceFile, parts: readonly Part[], rewrites: ReadonlyMap<Part, Rewrite>): MigratedFile[] {
  const changes = parts.flatMap((part) => {
    const rewrite = rewrites.get(part);
    return rewrite === undefined || !concerns(rewrite) ? [] : [{ part, rewrite }];
  });
  if (changes.length === 0) return [];
  let after = '';
  let end = 0;
  for (const { part, rewrite } of changes) {
    after += file.text.slice(end, part.start) + textOf(part, rewrite);
    end = part.end;
  }
  return [
    {
      ...file,
      after: after + file.text.slice(end),
      objects: changes.map(({ part: { object }, rewrite }) => ({
        name: nameOf(object, rewrite),
        reasons: [...new Set(rewrite.edits.map(({ path, why }) => `${path.join('.')}: ${why}`))],
        questions: rewrite.questions,
      })),
    },
  ];
}

function textOf({ document, object, file, start, end }: Part, { edits }: Rewrite): string {
  const text = file.text.slice(start, end);
  if (edits.length === 0) return text;
  if (file.path.endsWith('.json')) return `${JSON.stringify(applyEdits(object, edits), null, /^\s+(?=")/m.exec(text)?.[0] ?? 2)}\n`;
  applyToDocument(document, edits);
  return writeDocument(document, text);
}

function nameOf(object: Manifest, { edits }: Rewrite): string {
  const after = applyEdits(object, edits);
  const metadata: unknown = after['metadata'];
  const name = typeof metadata === 'object' && metadata !== null && 'name' in metadata ? String(metadata.name) : 'without a name';
  return `${String(after.kind)} ${name}`;
}
