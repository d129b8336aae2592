/** mrkdwn as a line of a terminal: names instead of ids, addresses without brackets. */
import type { Workspace } from '../workspace.ts';

export function plainText(text: string, { people, groups }: Pick<Workspace, 'people' | 'groups'>): string {
  return text
    .replace(/<@(\w+)(?:\|[^>]*)?>/g, (_, id: string) => people.find((one) => one.id === id)?.realName ?? id)
    .replace(/<!subteam\^(\w+)(?:\|[^>]*)?>/g, (_, id: string) => `@${groups.find((one) => one.id === id)?.handle ?? id}`)
    .replace(/<!date\^[^|>]*\|([^>]*)>/g, '$1')
    .replace(/<(https?:[^|>]+)\|([^>]*)>/g, '$2 ($1)')
    .replace(/<(https?:[^>]+)>/g, '$1')
    .replace(/(^|[\s(])\*(\S(?:[^*\n]*\S)?)\*(?=$|[\s).,:;!?])/g, '$1$2')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
