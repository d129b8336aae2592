/**
 * Workflows of a thread share the modules of `workflows/` and `domain/` (`preloadModules` in worker/temporal/workflow-bundle.ts): what one of them put into a
 * variable of a module, each other would read. State of one workflow has a place of its own (workflows/runtime/workflow-local.ts).
 */

/** The wings whose modules are shared. */
export const SHARED: readonly string[] = ['domain', 'workflows'];

const VARIABLE = /^(?:export )?(?:let|var) (\w+)/gm;
/** Not a WeakMap or WeakSet: what it knows belongs to objects of one workflow anyway. */
const CONSTANT = /^(?:export )?const (\w+)(?![^\n]*= new Weak)/gm;
/** What it has from another module, which the SDK freezes. */
const IMPORT = /^import \{([^}]+)\} from '\.{1,2}\//gm;
const CHANGERS = 'push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|set|add|delete|clear';

/** One line for each variable of the module that can change, and for each place that changes a constant of it, or of another module. */
export function moduleStateOf(file: string, text: string): string[] {
  const at = (index: number): string => `${file}:${text.slice(0, index).split('\n').length}`;
  const why = 'workflows share this module: keep it in a workflowLocal, or in a function';
  const variables = [...text.matchAll(VARIABLE)].map(({ index, 1: name }) => `${at(index)} ${name} can change, and ${why}`);
  const imported = [...text.matchAll(IMPORT)].flatMap(({ 1: names = '' }) => names.split(',').flatMap(valueOf));
  const own = [...text.matchAll(CONSTANT)].map(({ 1: name = '' }) => name);
  const constants = [...own, ...imported].flatMap((name) =>
    [...text.matchAll(changeOf(name))].map(({ index }) => `${at(index)} ${name} is changed, and ${why}`),
  );
  return [...variables, ...constants];
}

/** Of `a` and `b as c`: a, c. Types have no state. */
const valueOf = (each: string): string[] => (/^\s*type /.test(each) ? [] : (/(\w+)\s*$/.exec(each)?.slice(1) ?? []));

/** A call that changes it, or an assignment into it; but for the place where a regular expression looks next, which is set before each look. */
const changeOf = (name: string): RegExp =>
  new RegExp(`(?<![.\\w])${name}(?:\\.(?:${CHANGERS})\\(|(?:\\[[^\\]\\n]+\\]|\\.(?!lastIndex)\\w+)+ (?:[-+*|&?]{0,2}=)(?![=>]))`, 'g');
