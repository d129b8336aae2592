/** Edits on a YAML document: comments go with what they stand at. */
import { type Document, isCollection, isNode } from 'yaml';
import type { Edit, Path } from '../../domain/plan/migration/edit.ts';

/** As people write them: lines are not folded, lists are not indented more than the file does. */
const STYLE = { lineWidth: 0, flowCollectionPadding: false } as const;

export function applyToDocument(document: Document, edits: readonly Edit[]): void {
  for (const edit of edits) {
    if (edit.op === 'set') setIn(document, edit.path, edit.value);
    else {
      const node: unknown = document.getIn(edit.path, true);
      drop(document, edit.path);
      if (edit.op === 'move' && node !== undefined) document.setIn(edit.to, node);
    }
  }
}

/** A scalar keeps its comment. */
function setIn(document: Document, path: Path, value: unknown): void {
  const before: unknown = document.getIn(path, true);
  const node = document.createNode(value);
  if (isNode(before) && before.comment != null) node.comment = before.comment;
  document.setIn(path, node);
}

/** A parent that becomes empty goes. */
function drop(document: Document, path: Path): void {
  document.deleteIn(path);
  const above = path.slice(0, -1);
  if (above.length === 0) return;
  const parent: unknown = document.getIn(above, true);
  if (isCollection(parent) && parent.items.length === 0) drop(document, above);
}

/** @param like the text that it was read from. */
export function writeDocument(document: Document, like: string): string {
  const list = /^( *)[^\s#-][^\n]*:[ \t]*(?:#[^\n]*)?\n( *)- /m.exec(like);
  const step = /^[^\s#-][^\n]*:[ \t]*(?:#[^\n]*)?\n( +)[^\s-]/m.exec(like)?.[1]?.length ?? 2;
  return document.toString({
    ...STYLE,
    indent: step,
    indentSeq: list === null || (list[2]?.length ?? 0) > (list[1]?.length ?? 0),
  });
}
