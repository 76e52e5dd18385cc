{{/* The names and labels that the templates share. */}}
{{- define "poundkey.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "poundkey.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- $name := include "poundkey.name" . }}
{{- if contains $name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}
{{- end }}

{{- define "poundkey.selectorLabels" -}}
app.kubernetes.io/name: {{ include "poundkey.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "poundkey.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "poundkey.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "poundkey.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "poundkey.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "poundkey.image" -}}
{{- $image := .Values.image }}
{{- if not $image.repository }}
{{- fail "image.repository is missing: set it to the registry and name of an image that you have built" }}
{{- end }}
{{- if $image.digest }}
{{- printf "%s@%s" $image.repository $image.digest }}
{{- else }}
{{- printf "%s:%s" $image.repository (default .Chart.AppVersion $image.tag) }}
{{- end }}
{{- end }}

{{/* Refuses values that contradict each other. */}}
{{- define "poundkey.check" -}}
{{- $v := .Values }}
{{- if eq $v.store.kind "sqlite" }}
{{- if gt (int $v.replicas) 1 }}
{{- fail "replicas must be 1 with store.kind sqlite: its file belongs to one pod. Set store.kind to postgres for more" }}
{{- end }}
{{- if $v.autoscaling.enabled }}
{{- fail "autoscaling.enabled needs store.kind postgres" }}
{{- end }}
{{- else }}
{{- if not $v.store.postgres.existingSecret }}
{{- fail "store.postgres.existingSecret is missing: name a Secret that has the database's address" }}
{{- end }}
{{- if not $v.masterKey.existingSecret }}
{{- fail "masterKey.existingSecret is missing: with store.kind postgres, all pods need the same master key" }}
{{- end }}
{{- end }}
{{- $server := default dict $v.config.server }}
{{- range $name := list "host" "port" "drain" }}
{{- if hasKey $server $name }}
{{- fail (printf "config.server.%s is set by the chart: leave it out (drainSeconds sets the drain)" $name) }}
{{- end }}
{{- end }}
{{- if hasKey $v.config "store" }}
{{- fail "config.store is set by the chart: use store.kind, and a Secret for the address" }}
{{- end }}
{{- if gt (int $v.autoscaling.minReplicas) (int $v.autoscaling.maxReplicas) }}
{{- fail "autoscaling.minReplicas must not be above autoscaling.maxReplicas" }}
{{- end }}
{{- end }}

{{- define "poundkey.config" -}}
{{- $server := dict "host" "0.0.0.0" "port" 8080 "drain" (printf "%ds" (int .Values.drainSeconds)) }}
{{- mergeOverwrite (deepCopy .Values.config) (dict "server" $server) | toYaml }}
{{- end }}
