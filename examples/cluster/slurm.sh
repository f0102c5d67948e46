#!/bin/bash
#SBATCH --job-name=trace-eval
#SBATCH --array=1-32
#SBATCH --requeue
#SBATCH --signal=TERM@60
#SBATCH --open-mode=append
#SBATCH --cpus-per-task=4
#SBATCH --output=logs/%x-%a.log
# A task that was pre-empted is queued again, and its run goes on with what is not scored yet.
set -euo pipefail
: "${PAIRS:=pairs.jsonl}" "${RUNS:=runs}" "${JUDGE:=rules}"
shard=$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT
# exec: the signal that announces pre-emption reaches the command, which stops in good order.
exec trace-eval judge "$PAIRS" --judge "$JUDGE" --shard "$shard" \
  --workers "${SLURM_CPUS_PER_TASK:-1}" --cache "${TMPDIR:-/tmp}/trace-eval-cache" \
  --out "$RUNS/part-$SLURM_ARRAY_TASK_ID"
