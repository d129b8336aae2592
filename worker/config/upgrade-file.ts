/** Reads Upgrade documents, as many as a file has; every problem of every document is named with its line before anything is started. */
import { type Document, LineCounter, parseAllDocuments } from 'yaml';
import { ConfigError, type ConfigProblem, problemsOf } from '../../domain/policy/config/base/errors.ts';
import { withoutEmpty } from '../../domain/policy/config/base/without-empty.ts';
import { type UpgradeRequest, upgradeJsonSchema, upgradeSchema } from '../../domain/policy/config/upgrade-file.ts';
import { defined } from '../../domain/core/defined.ts';
import { offsetOf } from './yaml-lines.ts';

/** A file of upgrades is a page or two; what is larger is another file. */
export const MOST_BYTES = 1024 * 1024;

/** `fileName`: as named to the user. Throws ConfigError. */
export function parseUpgrades(yamlText: string, fileName: string): UpgradeRequest[] {
  const lines = new LineCounter();
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  const documents = [parseAllDocuments(yamlText, { lineCounter: lines, prettyErrors: false })].flat();
  const broken = documents.flatMap(({ errors }) => errors);
  if (broken.length > 0) {
    const problems = broken.map(({ pos, message }) => ({
      path: '',
      line: lineAt(pos[0]),
      message: `not valid YAML: ${message.split('\n')[0]}`,
    }));
    throw new ConfigError(fileName, problems);
  }
  const found: UpgradeRequest[] = [];
  const problems: ConfigProblem[] = [];
  for (const document of documents) {
    // What stands between two separators, or after the last one, may be nothing but comments.
    const raw = withoutEmpty(valueOf(document, fileName));
    if (raw === undefined) continue;
    const firstLine = lineAt(document.contents?.range?.[0] ?? 0);
    const lineOf = (path: readonly (string | number)[]): number => {
      const offset = offsetOf(document.contents, path);
      return offset === undefined ? firstLine : lineAt(offset);
    };
    const parsed = upgradeSchema.safeParse(raw);
    if (parsed.success) {
      const { metadata, spec } = parsed.data;
      const { cluster, target, strategy } = spec;
      found.push({ name: metadata.name, cluster, target, ...defined({ strategy }), at: `${fileName}:${firstLine}` });
    } else problems.push(...problemsOf(parsed.error.issues, raw, upgradeJsonSchema(), lineOf));
  }
  if (problems.length > 0) throw new ConfigError(fileName, problems);
  if (found.length === 0) throw new ConfigError(fileName, [{ path: '', message: 'holds no Upgrade; docs/upgrade.md shows one' }]);
  return found;
}

/** Aliases that would unfold into millions of values are refused by the parser (its maxAliasCount). */
function valueOf(document: Document.Parsed, fileName: string): unknown {
  try {
    return document.toJS();
  } catch {
    throw new ConfigError(fileName, [{ path: '', message: 'has more aliases than an Upgrade needs; write the values out' }]);
  }
}
