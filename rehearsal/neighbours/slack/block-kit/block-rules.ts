/** Validates blocks and views as Slack does, so that a message which would be refused there is refused here. */
import { BlockCheck } from './block-check.ts';
import { ACTION_ELEMENTS, checkElement, INPUT_ELEMENTS } from './block-elements.ts';
import { LIMITS } from './block-limits.ts';
import { type Fields, isFields, listOf, textOf } from './shape.ts';

type Rule = (check: BlockCheck, block: Fields, pointer: string) => void;

const RULES: Record<string, Rule> = {
  section(check, block, pointer) {
    if (block['text'] === undefined && block['fields'] === undefined) check.fail(pointer, 'must define either `fields` or `text`');
    check.text(block, 'text', pointer, LIMITS.sectionText);
    if (block['fields'] !== undefined)
      check
        .list(block, 'fields', pointer, 1, LIMITS.sectionFields)
        .forEach((field, index) => check.text({ [index]: field }, String(index), `${pointer}/fields`, LIMITS.fieldText));
    const accessory = block['accessory'];
    if (isFields(accessory)) checkElement(check, accessory, `${pointer}/accessory`, [...ACTION_ELEMENTS, 'image']);
  },
  header: (check, block, pointer) => check.text(block, 'text', pointer, LIMITS.headerText, { plain: true, required: true }),
  divider: () => undefined,
  context(check, block, pointer) {
    check.list(block, 'elements', pointer, 1, LIMITS.contextElements).forEach((element, index) => {
      const at = `${pointer}/elements/${index}`;
      if (element['type'] === 'image') checkImage(check, element, at);
      else if (element['type'] === 'mrkdwn' || element['type'] === 'plain_text')
        check.string(element, 'text', at, LIMITS.sectionText, { required: true });
      else check.fail(`${at}/type`, `unsupported type: ${textOf(element['type']) ?? '(none)'}`);
    });
  },
  actions(check, block, pointer) {
    const elements = check.list(block, 'elements', pointer, 1, LIMITS.actionElements);
    const seen = new Set<unknown>();
    elements.forEach((element, index) => {
      const at = `${pointer}/elements/${index}`;
      checkElement(check, element, at, ACTION_ELEMENTS);
      const id = element['action_id'];
      if (id !== undefined && seen.has(id)) check.fail(`${at}/action_id`, `\`action_id\` must be unique within a block: ${textOf(id)}`);
      seen.add(id);
    });
  },
  image: (check, block, pointer) => checkImage(check, block, pointer),
  markdown: (check, block, pointer) => check.string(block, 'text', pointer, LIMITS.markdownText, { required: true }),
  rich_text: (check, block, pointer) => void check.list(block, 'elements', pointer, 1, 1000),
  input(check, block, pointer) {
    check.text(block, 'label', pointer, LIMITS.labelText, { plain: true, required: true });
    check.text(block, 'hint', pointer, LIMITS.hintText, { plain: true });
    const element = block['element'];
    if (isFields(element)) checkElement(check, element, `${pointer}/element`, INPUT_ELEMENTS);
    else check.fail(pointer, 'missing required field: element');
  },
};

function checkImage(check: BlockCheck, image: Fields, pointer: string): void {
  check.string(image, 'image_url', pointer, LIMITS.imageUrl, { required: true });
  check.string(image, 'alt_text', pointer, LIMITS.altText, { required: true });
}

function checkBlocks(check: BlockCheck, blocks: unknown[], max: number): void {
  if (blocks.length > max) check.fail('/blocks', `no more than ${max} items allowed`);
  const ids = new Set<unknown>();
  blocks.forEach((block, index) => {
    const pointer = `/blocks/${index}`;
    if (!isFields(block)) return check.fail(pointer, 'must provide an object');
    const rule = RULES[textOf(block['type']) ?? ''];
    if (rule === undefined) return check.fail(`${pointer}/type`, `unsupported type: ${textOf(block['type']) ?? '(none)'}`);
    check.string(block, 'block_id', pointer, LIMITS.blockId);
    const id = block['block_id'];
    if (id !== undefined && ids.has(id)) check.fail(`${pointer}/block_id`, `\`block_id\` must be unique: ${textOf(id)}`);
    ids.add(id);
    rule(check, block, pointer);
  });
}

/** What Slack would say about a message's blocks; empty when they are fine. */
export function messageBlockErrors(blocks: unknown[]): string[] {
  const check = new BlockCheck();
  checkBlocks(check, blocks, LIMITS.messageBlocks);
  const markdown = listOf(blocks).filter((block) => block['type'] === 'markdown');
  const total = markdown.reduce((sum, block) => sum + (textOf(block['text'])?.length ?? 0), 0);
  if (total > LIMITS.markdownText)
    check.fail('/blocks', `markdown blocks must have less than ${LIMITS.markdownText + 1} characters in total`);
  return check.errors;
}

/** What Slack would say about a modal or a Home tab; empty when it is fine. `type`: the one that the method takes. */
export function viewErrors(view: Fields, type: 'modal' | 'home' = 'modal'): string[] {
  const check = new BlockCheck();
  check.oneOf(view, 'type', '', [type]);
  if (view['type'] === undefined) check.fail('/type', 'missing required field: type');
  if (type === 'modal') check.text(view, 'title', '', LIMITS.viewTitle, { plain: true, required: true });
  check.text(view, 'submit', '', LIMITS.viewButton, { plain: true });
  check.text(view, 'close', '', LIMITS.viewButton, { plain: true });
  check.string(view, 'private_metadata', '', LIMITS.privateMetadata, { emptyAllowed: true });
  check.string(view, 'callback_id', '', LIMITS.callbackId, { emptyAllowed: true });
  const blocks = view['blocks'];
  if (!Array.isArray(blocks)) check.fail('/blocks', 'missing required field: blocks');
  else {
    checkBlocks(check, blocks, LIMITS.modalBlocks);
    if (type === 'modal' && listOf(blocks).some((block) => block['type'] === 'input') && view['submit'] === undefined)
      check.fail('/submit', '`submit` is required when an `input` block is within the `blocks` array');
  }
  return check.errors;
}
