/** Everything that can be sent to Belay's workflows, as the code has it: what is new is attacked without anybody having to think of it. */
import { readFileSync } from 'node:fs';
import * as messages from '../../../workflows/contract/messages.ts';

interface Definition {
  type: 'signal' | 'update' | 'query';
  name: string;
}

const isDefinition = (value: unknown): value is Definition =>
  typeof value === 'object' && value !== null && 'type' in value && ['signal', 'update', 'query'].includes(String(value.type));

const exported: unknown[] = Object.values(messages);
const all = exported.filter(isDefinition);
const named = (type: Definition['type']): string[] => all.filter((each) => each.type === type).map(({ name }) => name);

export const SIGNALS = named('signal');
export const UPDATES = named('update');
export const QUERIES = named('query');

/** Every workflow type that a worker knows. */
export const WORKFLOW_TYPES: string[] = [
  ...readFileSync(new URL('../../../workflows/index.ts', import.meta.url), 'utf8').matchAll(/export \{ ([^}]+) \} from/g),
].flatMap(([, names = '']) => names.split(',').map((name) => name.trim()));
