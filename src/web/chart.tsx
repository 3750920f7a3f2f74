/** Bars over months, drawn as SVG; a table beside it says the same to people who cannot see it. */
import { money } from "./words/decimals.ts";

interface Bar {
  readonly label: string;
  readonly value: number;
  /** The bar behind it: the same month a year before. */
  readonly before?: number;
}

interface BarsProps {
  readonly title: string;
  readonly bars: readonly Bar[];
  readonly legend: readonly [now: string, before: string];
}

const WIDTH = 640;
const HEIGHT = 200;
const FOOT = 22;

/** Bars of amounts in euros. Negative amounts, with more credited than sold, hang below the line. */
export function Bars({ title, bars, legend: [now, before] }: BarsProps) {
  const values = bars.flatMap(({ value, before = 0 }) => [value, before, 0]);
  const [least, most] = [Math.min(...values), Math.max(...values, 1)];
  const y = (value: number) => ((most - value) / (most - least)) * (HEIGHT - FOOT - 8) + 4;
  const step = WIDTH / Math.max(bars.length, 1);
  const bar = (value: number, index: number, offset: number, name: string) => (
    <rect
      class={name}
      x={index * step + step * offset}
      y={Math.min(y(value), y(0))}
      width={step * 0.34}
      height={Math.max(Math.abs(y(value) - y(0)), value === 0 ? 0 : 1.5)}
      rx="2"
    />
  );
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        <line class="ground" x1="0" x2={WIDTH} y1={y(0)} y2={y(0)} />
        {bars.map(({ label, value, before = 0 }, index) => (
          <g key={label}>
            {bar(before, index, 0.14, "before")}
            {bar(value, index, 0.5, "now")}
            <text x={index * step + step / 2} y={HEIGHT - 4}>
              {label}
            </text>
          </g>
        ))}
      </svg>
      <p class="legend" aria-hidden="true">
        <span class="now">{now}</span> <span class="before">{before}</span>
      </p>
      <table class="unseen">
        <caption>{title}</caption>
        <thead>
          <tr>
            <td />
            <th scope="col">{now}</th>
            <th scope="col">{before}</th>
          </tr>
        </thead>
        <tbody>
          {bars.map(({ label, value, before = 0 }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{money(value)}</td>
              <td>{money(before)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
