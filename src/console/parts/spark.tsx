// Sparklines.

const SPARK = { width: 96, height: 28 };

interface SparkProps {
  readonly values: readonly number[];
  readonly color?: string | undefined;
}

/** A sparkline: one figure over time, without numbers. */
export function Spark({ values, color = "--c1" }: SparkProps) {
  const top = Math.max(...values, 0) || 1;
  const points = values.map((value, at) => {
    const x = (at / Math.max(1, values.length - 1)) * SPARK.width;
    return `${x.toFixed(1)},${(SPARK.height - 2 - (value / top) * (SPARK.height - 4)).toFixed(1)}`;
  });
  const area = `0,${SPARK.height} ${points.join(" ")} ${SPARK.width},${SPARK.height}`;
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${SPARK.width} ${SPARK.height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polygon points={area} fill={`var(${color}-soft)`} />
      <polyline
        points={points.join(" ")}
        fill="none"
        stroke={`var(${color})`}
        stroke-width="1.6"
        vector-effect="non-scaling-stroke"
      />
    </svg>
  );
}
