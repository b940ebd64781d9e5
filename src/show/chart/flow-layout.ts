import type { ChartFlow } from './chart.ts';

/** A flow with its size. */
export interface SizedFlow extends ChartFlow {
  readonly value: number;
  /** Its index among the edges of the chart. */
  readonly row: number;
}

/**
 * A step as a bar. Its value is the sum of the flows that reach it or that leave it, whichever is larger. Pixels, from
 * the top left.
 */
interface FlowNode {
  readonly step: number;
  readonly name: string;
  readonly value: number;
  readonly ended: number;
  readonly y: number;
  readonly height: number;
}

/** A band from one bar to another. If the flow ends, it has no target. */
export interface FlowBand {
  readonly flow: SizedFlow;
  readonly source: FlowNode;
  readonly target: FlowNode | undefined;
  /** Vertical positions at the source and at the target. */
  readonly from: number;
  readonly to: number;
  readonly height: number;
}

interface FlowLayout {
  readonly nodes: readonly FlowNode[];
  readonly bands: readonly FlowBand[];
  /** The first and the last step. */
  readonly steps: readonly [number, number];
  readonly height: number;
  /** Flows of steps that do not fit. */
  readonly leftOut: readonly SizedFlow[];
}

/** The most bars of one step that readers can tell apart. */
const mostNodes = 12;
/** The height of two lines of text, and the gap below a bar. */
const [leastSlot, between] = [30, 8];
/** The total height of the bars of the fullest step. */
const fullHeight = 260;

/** Stacks the bars of each step, the largest first. Bands leave and arrive in the order of the bars. */
export function layOutFlows(flows: readonly SizedFlow[]): FlowLayout {
  const keyOf = (step: number, name: string) => `${step} ${name}`;
  const sums = new Map<string, { step: number; name: string; coming: number; going: number; ended: number }>();
  const sumOf = (step: number, name: string) => {
    const sum = sums.get(keyOf(step, name)) ?? { step, name, coming: 0, going: 0, ended: 0 };
    sums.set(keyOf(step, name), sum);
    return sum;
  };
  for (const { step, source, target, value } of flows) {
    sumOf(step, source).going += value;
    if (target === null) sumOf(step, source).ended += value;
    else sumOf(step + 1, target).coming += value;
  }
  const all = [...sums.values()].map(({ coming, going, ...sum }) => ({ ...sum, value: Math.max(coming, going) }));
  const byStep = Map.groupBy(
    all.toSorted((a, b) => b.value - a.value),
    ({ step }) => step,
  );
  const columns = [...byStep.values()].map((column) => column.slice(0, mostNodes));
  const most = Math.max(1e-9, ...columns.map((column) => column.reduce((sum, { value }) => sum + value, 0)));
  const nodes = columns.flatMap((column) => {
    let y = 0;
    return column.map((sum): FlowNode => {
      const height = Math.max(1, (sum.value / most) * fullHeight);
      const node = { ...sum, y, height };
      y += Math.max(leastSlot, height) + between;
      return node;
    });
  });
  const placed = new Map(nodes.map((node) => [keyOf(node.step, node.name), node]));
  const found = flows.map((flow) => ({
    flow,
    source: placed.get(keyOf(flow.step, flow.source)),
    target: flow.target === null ? undefined : placed.get(keyOf(flow.step + 1, flow.target)),
  }));
  const shown = found.flatMap(({ flow, source, target }) =>
    source && (target || flow.target === null) ? [{ flow, source, target }] : [],
  );
  const [left, arrived] = [new Map<FlowNode, number>(), new Map<FlowNode, number>()];
  const bottom = Infinity;
  const bands = shown
    .toSorted((a, b) => a.source.y - b.source.y || (a.target?.y ?? bottom) - (b.target?.y ?? bottom))
    .map(({ flow, source, target }): FlowBand => {
      const height = (flow.value / most) * fullHeight;
      const from = left.get(source) ?? source.y;
      left.set(source, from + height);
      const to = target ? (arrived.get(target) ?? target.y) : from;
      if (target) arrived.set(target, to + height);
      return { flow, source, target, from, to, height };
    });
  const steps = nodes.length === 0 ? [1] : nodes.map(({ step }) => step);
  return {
    nodes,
    bands,
    steps: [Math.min(...steps), Math.max(...steps)],
    height: Math.max(leastSlot, ...nodes.map(({ y, height }) => y + Math.max(leastSlot, height))),
    leftOut: found.flatMap(({ flow, source, target }) => (source && (target || flow.target === null) ? [] : [flow])),
  };
}
