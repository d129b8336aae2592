/** Reads belay.yaml: from --config, BELAY_CONFIG or the working directory. */
import { existsSync, readFileSync } from 'node:fs';
import { type ErrorCode, LineCounter, parseDocument } from 'yaml';
import { type Config, validateConfig } from '../../domain/policy/config/config.ts';
import { ConfigError } from '../../domain/policy/config/base/errors.ts';
import { field } from '../../domain/core/unknown.ts';
import { offsetOf } from './yaml-lines.ts';

const DEFAULT_CONFIG_FILE = 'belay.yaml';

const UNREADABLE: Record<string, string> = {
  ENOENT: 'there is no such file; write one with "belay init", or name another by --config or BELAY_CONFIG',
  EISDIR: 'is a folder; name the file in it',
};

/** What the parser says of these is for programmers. */
const YAML_ERRORS: Partial<Record<ErrorCode, string>> = {
  MULTIPLE_DOCS: 'a second document begins here; belay.yaml is one document, so remove the line ---',
};

/** The file that counts: the flag, then BELAY_CONFIG, then belay.yaml. */
export function configFileName(flag: string | undefined, env: NodeJS.ProcessEnv = process.env): string {
  return flag ?? (env['BELAY_CONFIG'] || DEFAULT_CONFIG_FILE);
}

/** Is one named, or does one lie in the working directory? What is named has to be there. */
export function isConfigThere(flag: string | undefined, env: NodeJS.ProcessEnv = process.env): boolean {
  return flag !== undefined || Boolean(env['BELAY_CONFIG']) || existsSync(DEFAULT_CONFIG_FILE);
}

/** A worker reads the file at every vote and every window: hundreds of clusters are parsed once. */
let newest: { fileName: string; text: string; config: Config } | undefined;

/** What the file says now. Throws ConfigError with a message that names the file and the fix. */
export function loadConfig(fileName: string): Config {
  let text: string;
  try {
    text = readFileSync(fileName, 'utf8');
  } catch (error) {
    const code = field(error, 'code');
    throw new ConfigError(fileName, [
      { path: '', message: UNREADABLE[String(code)] ?? `cannot be read (${String(code)}); check its permissions` },
    ]);
  }
  if (newest?.fileName !== fileName || newest.text !== text) newest = { fileName, text, config: parseConfig(text, fileName) };
  return newest.config;
}

/** Parses YAML and validates it; errors carry lines. */
export function parseConfig(yamlText: string, fileName: string): Config {
  const lines = new LineCounter();
  // Merge keys (<<: *base) are YAML 1.1, and files for Kubernetes, Helm and Compose use them.
  const document = parseDocument(yamlText, { lineCounter: lines, prettyErrors: false, merge: true });
  const broken = document.errors.map((error) => ({
    path: '',
    line: lines.linePos(error.pos[0]).line,
    message: YAML_ERRORS[error.code] ?? `not valid YAML: ${error.message.split('\n')[0]}`,
  }));
  if (broken.length > 0) throw new ConfigError(fileName, broken);
  return validateConfig(document.toJS() ?? undefined, {
    fileName,
    lineOf: (path) => {
      const offset = offsetOf(document.contents, path);
      return offset === undefined ? undefined : lines.linePos(offset).line;
    },
  });
}
