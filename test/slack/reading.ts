/** Messages as people read them. */
import type { KnownBlock } from '@slack/types';
import type { Rendered } from '../../slack/blocks/kit/elements.ts';

/** All text of a message, one line per block, and its buttons. */
export function read({ blocks }: Rendered): { text: string; buttons: string[] } {
  const buttons: string[] = [];
  const line = (block: KnownBlock): string => {
    switch (block.type) {
      case 'header':
        return `# ${block.text.text}`;
      case 'section':
        return block.text?.text ?? '';
      case 'context':
        return block.elements.map((element) => ('text' in element ? element.text : '')).join('\n');
      case 'actions':
        for (const element of block.elements) if (element.type === 'button') buttons.push(`${element.action_id} ${element.text.text}`);
        return '';
      default:
        return block.type;
    }
  };
  return { text: blocks.map(line).join('\n'), buttons };
}
