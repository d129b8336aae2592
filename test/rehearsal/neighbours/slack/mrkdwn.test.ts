/** Slack's formatting as the page reads it. */
import { describe, expect, test } from 'vitest';
import { formatDate, type MrkdwnNode, parseInline, parseMrkdwn, parsePlain } from '../../../../rehearsal/neighbours/slack/page/mrkdwn.js';

const text = (value: string): MrkdwnNode => ({ kind: 'text', text: value });

describe('mrkdwn', () => {
  test.each<[string, string, MrkdwnNode[]]>([
    ['bold', 'a *b c* d', [text('a '), { kind: 'bold', children: [text('b c')] }, text(' d')]],
    ['italic in bold', '*a _b_*', [{ kind: 'bold', children: [text('a '), { kind: 'italic', children: [text('b')] }] }]],
    ['struck', '~a~', [{ kind: 'strike', children: [text('a')] }]],
    ['bold before a colon', '*To decide:* x', [{ kind: 'bold', children: [text('To decide:')] }, text(' x')]],
    ['no bold inside words', 'a*b*c 2 * 3 * 4 snake_case_name', [text('a*b*c 2 * 3 * 4 snake_case_name')]],
    ['code keeps its marks', '`*a* <b>`', [{ kind: 'code', text: '*a* <b>' }]],
    ['entities', 'a &lt;b&gt; &amp; c', [text('a <b> & c')]],
    ['a link', '<https://x.test/?a=1&amp;b=2|the *run*>', [{ kind: 'link', url: 'https://x.test/?a=1&b=2', label: 'the *run*' }]],
    ['a bare link', '<https://x.test>', [{ kind: 'link', url: 'https://x.test', label: 'https://x.test' }]],
    ['no script for a link', '<javascript:alert(1)|x>', [text('<javascript:alert(1)|x>')]],
    ['a person', '<@U0SAM>', [{ kind: 'user', id: 'U0SAM', label: undefined }]],
    ['a group', '<!subteam^S0PLATFORM|@platform>', [{ kind: 'group', id: 'S0PLATFORM', label: '@platform' }]],
    ['a channel', '<#C0UPGRADES|eks>', [{ kind: 'channel', id: 'C0UPGRADES', label: 'eks' }]],
    ['a drawn emoji by name', ':white_check_mark: ok', [{ kind: 'icon', name: 'white_check_mark' }, text(' ok')]],
    ['a drawn emoji as a character', '⚠\uFE0F ok', [{ kind: 'icon', name: '⚠' }, text(' ok')]],
    [
      'an emoji without a drawing, and none',
      ':wave: :no_such_emoji: 10:30:00',
      [text('👋'), text(' '), text(':no_such_emoji:'), text(' 10'), text(':30:'), text('00')],
    ],
  ])('%s', (_name, line, nodes) => expect(parseInline(line)).toEqual(nodes));

  test('lines, quotes and preformatted text', () => {
    expect(parseMrkdwn('one\n&gt; said\n```a  *b*\nc```\ntwo')).toEqual([
      { kind: 'line', children: [text('one')] },
      { kind: 'quote', children: [text('said')] },
      { kind: 'pre', text: 'a  *b*\nc' },
      { kind: 'line', children: [text('two')] },
    ]);
  });

  test('plain text knows emoji and nothing else', () =>
    expect(parsePlain('*a* ⏳ <b>')).toEqual([text('*a* '), { kind: 'icon', name: '⏳' }, text(' <b>')]));

  test('dates are told in the reader’s words', () => {
    const at = new Date(2025, 10, 3, 9, 5);
    const date = { epochSec: at.getTime() / 1000, format: '{time} {date_short_pretty}', label: 'then' };
    expect(formatDate(date, new Date(2025, 10, 3, 20, 0)).replace(/\s/g, ' ')).toBe('9:05 AM today');
    expect(formatDate(date, new Date(2025, 10, 4, 1, 0)).replace(/\s/g, ' ')).toBe('9:05 AM yesterday');
    expect(formatDate(date, new Date(2025, 11, 4)).replace(/\s/g, ' ')).toBe('9:05 AM Nov 3, 2025');
    expect(formatDate({ ...date, epochSec: Number.NaN })).toBe('then');
  });
});
