ALTER TABLE refusal_lesson ADD COLUMN conditions TEXT;
