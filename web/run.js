// run.js: the run's state as the server tells it: whole at first, then what was added. Points are kept by column, as charts want them.
const extend = (columns, added) => {
    for (const [name, values] of Object.entries(added ?? {})) (columns[name] ??= []).push(...values);
};

const mean = (values) => (values.length ? values.reduce((a, b) => a + b) / values.length : 0);

export class Run {
    tasks = [];
    curves = [];
    graph = [];
    marks = [];
    summary = null;
    running = false;
    time = 0;

    whole(state) {
        Object.assign(this, { marks: [] }, state);
    }

    task(name) {
        return this.tasks.find((task) => task.task === name);
    }

    // Whether it tells anything new.
    changes(state) {
        const task_changed = (update) => {
            const task = this.task(update.task);
            return update.last.wall !== task?.last.wall || update.state !== task.state;
        };
        const curve_changed = (update, i) => update.last.wall !== this.curves[i].last.wall;
        return state.running || this.running || Boolean(state.marks) || state.tasks.some(task_changed) || state.curves.some(curve_changed);
    }

    added(state) {
        this.running = state.running;
        this.time = state.time;
        if (state.marks) Object.assign(this, { marks: state.marks, marks_before: state.marks_before });
        state.tasks.forEach((update) => {
            const task = this.task(update.task);
            if (!task) return; // the server tells the whole state when one comes
            extend(task.points, update.points);
            extend((task.host_points ??= {}), update.host_points);
            task.state = update.state;
            task.last = update.last;
            if (update.host_last) task.host_last = update.host_last;
        });
        state.curves.forEach((update, i) => {
            const curve = this.curves[i];
            for (const part of ["wall", "step", "value"]) curve[part].push(...update[part]);
            curve.last = update.last;
        });
    }

    get workers() {
        return this.tasks.filter((task) => task.task.startsWith("worker:"));
    }

    // The tasks whose samples tell of their hosts, one a host.
    get tellers() {
        return this.tasks.filter((task) => task.host_last);
    }

    curve(tag) {
        return this.curves.filter((curve) => curve.tag === tag);
    }

    // The newest value of a curve, of whichever task.
    latest(tag) {
        const last = this.curve(tag)
            .map((curve) => curve.last)
            .sort((a, b) => b.wall - a.wall)[0];
        return last?.value;
    }

    // The mean speed of each worker over the run, as shares of the median one: { "worker:3": 0.98 }.
    get pace() {
        const means = this.workers
            .map((task) => [task.task, mean(task.points.speed.filter((speed) => speed > 0))])
            .filter(([, speed]) => speed > 0);
        const middle = means.map(([, speed]) => speed).sort((a, b) => a - b)[Math.floor(means.length / 2)];
        return Object.fromEntries(means.map(([name, speed]) => [name, speed / middle]));
    }

    // What is shown of a task: its last sample while the run goes on; of a run that has ended, what summary.json tells of the whole of it.
    // Workers that are threads of one process have one row, and the speed of all.
    figures(task) {
        const used = this.running ? null : this.summary?.task_stats?.find((one) => one.task === task.task);
        if (!used) return task.last;
        const work = this.summary.worker_stats.find((one) => one.task === task.task);
        const traffic = work ?? used;
        const alone = this.workers.length === 1,
            speed = alone ? this.summary.examples_per_second : work?.examples / work?.seconds;
        return {
            ...task.last,
            ...work?.phases,
            speed,
            cpu: used.cpu_percent,
            resident: 1e6 * used.peak_memory_mb,
            sent: traffic.bytes_sent / traffic.seconds,
            received: traffic.bytes_received / traffic.seconds,
        };
    }

    get is_summed() {
        return !this.running && Boolean(this.summary?.task_stats);
    }

    get started() {
        return Math.min(...this.tasks.map((task) => task.points.wall[0] ?? task.last.wall));
    }

    get newest() {
        return Math.max(...this.tasks.map((task) => task.last.wall));
    }
}
