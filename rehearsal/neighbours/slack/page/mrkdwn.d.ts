/** Types of the page's mrkdwn parser, for its tests. */
export interface MrkdwnNode {
  kind: 'text' | 'code' | 'bold' | 'italic' | 'strike' | 'link' | 'user' | 'group' | 'channel' | 'date' | 'icon';
  [field: string]: unknown;
}
export interface MrkdwnPart {
  kind: 'line' | 'quote' | 'pre';
  text?: string;
  children?: MrkdwnNode[];
}
export function parseInline(line: string): MrkdwnNode[];
export function parsePlain(text: string): MrkdwnNode[];
export function parseMrkdwn(text: string): MrkdwnPart[];
export function formatDate(date: { epochSec: number; format: string; label: string }, now?: Date): string;
