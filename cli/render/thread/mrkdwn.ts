/** What Slack's Block Kit shows, as lines of a terminal: in local time, with names in the place of ids, and without buttons. */
import type { Rendered } from '../../../slack/blocks/kit/elements.ts';
import pc from 'picocolors';
import { localMinute } from '../../shared/local-time.ts';
import { plain } from '../../shared/controls.ts';

interface Reader {
  /** Names by Slack id. */
  names: ReadonlyMap<string, string>;
  /** IANA name; default: the machine's. */
  timeZone?: string;
}

/** One line of mrkdwn. Whoever may write to Temporal may have written it: control characters go first. */
export function fromMrkdwn(line: string, { names, timeZone }: Reader): string {
  const name = (id: string): string => `@${plain(names.get(id) ?? id)}`;
  return plain(line)
    .replace(/<!date\^(\d{1,12})\^[^|<>]*\|[^<>]*>/g, (_, seconds: string) => localMinute(Number(seconds) * 1_000, timeZone))
    .replace(/<@([UW][A-Z0-9]+)>/g, (_, id: string) => name(id))
    .replace(/<!subteam\^(S[A-Z0-9]+)>/g, (_, id: string) => name(id))
    .replace(/<(https?:[^|<>]+)\|([^<>]*)>/g, (_, url: string, label: string) => `${label} (${url})`)
    .replace(/(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])/g, (_, text: string) => pc.bold(text))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** In their order; buttons and pictures are left out. */
export function blockLines(blocks: Rendered['blocks'], reader: Reader): string[] {
  return blocks.flatMap((block) => {
    switch (block.type) {
      case 'header':
        return [pc.bold(plain(block.text.text))];
      case 'section':
        return lines(block.text?.text ?? '', reader);
      case 'context':
        return block.elements.flatMap((element) => ('text' in element ? lines(element.text, reader).map(pc.dim) : []));
      default:
        return [];
    }
  });
}

const lines = (text: string, reader: Reader): string[] => text.split('\n').map((line) => fromMrkdwn(line, reader));
