/** The tutorial as steps that a test can take: each code block of docs/tutorial.md has a comment above it that says what to do with it. */

export type TutorialStep = { lines: string[] } & (
  | { kind: 'run'; terminal: string }
  | { kind: 'shows'; terminal: string }
  | { kind: 'type'; person: string }
  | { kind: 'confirm'; person: string; label: string }
  | { kind: 'thread'; key: string }
  | { kind: 'press'; person: string; label: string; gate: string }
);

const BLOCK = /(?:^<!-- (\w+): ([^\n]*) -->\n)?^```\w*\n([\s\S]*?)^```$/gm;

/** In their order. Throws where a block has no comment or one that it does not know: nothing on the page is untried. */
export function stepsOf(markdown: string): TutorialStep[] {
  return [...markdown.matchAll(BLOCK)].map(([, kind, what = '', body = '']) => {
    const lines = body
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    const [person = '', label = '', gate = ''] = what.split(', ');
    switch (kind) {
      case 'run':
      case 'shows':
        return { kind, terminal: what, lines };
      case 'type':
        return { kind, person: what, lines };
      case 'confirm':
        return { kind, person, label, lines };
      case 'thread':
        return { kind, key: what, lines };
      case 'press':
        return { kind, person, label, gate, lines };
      default:
        throw new Error(
          `This block of the tutorial does not say what to do with it (<!-- run: … -->, shows, type, confirm, thread, press):\n${body}`,
        );
    }
  });
}

/** As a pattern: `…` stands for whatever differs from one time to the next, a space for any number of them. */
export function patternOf(line: string): RegExp {
  const parts = line.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replace(/ +/g, String.raw`\s+`));
  return new RegExp(parts.join('.*'));
}
