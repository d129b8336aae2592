/** What a rule or a dashboard asks of Prometheus, held against a page that a process shows. */

interface Selector {
  name: string;
  matchers: { label: string; operator: string; value: string }[];
}

/** Every selector of a query; ours all have braces. */
export function selectorsIn(query: string): Selector[] {
  return [...query.matchAll(/([a-zA-Z_:][\w:]*)\{([^}]*)\}/g)].map(([, name = '', inside = '']) => ({
    name,
    matchers: [...inside.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(([, label = '', operator = '', value = '']) => ({
      label,
      operator,
      value,
    })),
  }));
}

interface Sample {
  name: string;
  labels: Record<string, string>;
}

export function samplesIn(page: string): Sample[] {
  return [...page.matchAll(/^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/gm)].map(([, name = '', inside = '']) => ({
    name,
    labels: Object.fromEntries([...inside.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', value = '']) => [label, value])),
  }));
}

/** Selectors that no sample of the page fits. `added`: labels and series that are Prometheus' own. `later`: values that take an accident. */
export function unmatched(query: string, page: string, { added, later }: { added: readonly string[]; later: readonly string[] }): string[] {
  const samples = samplesIn(page);
  return selectorsIn(query)
    .filter(({ name }) => !added.includes(name))
    .filter(({ name, matchers }) => {
      const fits = ({ labels }: Sample): boolean =>
        matchers
          .filter(({ label }) => !added.includes(label))
          .every(({ label, operator, value }) => {
            const has = labels[label];
            if (operator === '=' && later.includes(value)) return has !== undefined;
            if (operator === '=') return has === value;
            if (operator === '!=') return has !== undefined && has !== value;
            // Prometheus anchors them: https://prometheus.io/docs/prometheus/latest/querying/basics/
            const isLike = has !== undefined && new RegExp(`^(?:${value})$`).test(has);
            return operator === '=~' ? isLike : has !== undefined && !isLike;
          });
      return !samples.some((sample) => sample.name === name && fits(sample));
    })
    .map(({ name, matchers }) => `${name}{${matchers.map(({ label, operator, value }) => `${label}${operator}"${value}"`).join(', ')}}`);
}
